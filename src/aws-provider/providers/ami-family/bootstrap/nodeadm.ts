import { type Document, isCollection, isScalar, parseAllDocuments, visit } from 'yaml';
import type { Json } from '../../../../apiserver/kind.ts';
import { writeYaml } from '../../../../apiserver/yaml/write-yaml.ts';
import { NodeClassNotReadyError } from '../../../../cloudprovider/errors.ts';
import { wrappingErrors } from '../../../aws-api/wrapped-error.ts';
import type { BootstrapInput, UserData } from './bootstrap-input.ts';
import { nodeLabelsFlag } from './kubelet-flags.ts';
import { headerOf } from './mime/mime-headers.ts';
import { type MimePart, parseMime } from './mime/parse-mime.ts';
import { looksLikeMime, partOf, SHELL_SCRIPT, writeMime } from './mime/write-mime.ts';

const NODE_CONFIG = 'application/node.eks.aws';

/**
 * Of AL2023: the user's parts, then the NodeConfig, which wins over those that users give.
 *
 * @throws NodeClassNotReadyError (as cause) before the cluster's service addresses are known.
 */
export const nodeadmUserData: UserData = (input) => {
  const config = wrappingErrors('generating NodeConfig', () => nodeConfig(input));
  const parts = wrappingErrors('parsing custom UserData', () => customParts(input.customUserData));
  return writeMime([...parts, partOf(NODE_CONFIG, config)]);
};

function nodeConfig(input: BootstrapInput): string {
  const { clusterName, clusterEndpoint, clusterCIDR, caBundle, kubelet, labels, taints } = input;
  const certificateAuthority = caBundle ? canonicalBase64(caBundle) : undefined;
  if (!clusterCIDR) throw new NodeClassNotReadyError('resolving cluster CIDR');
  const flag = nodeLabelsFlag(labels);
  const config = {
    apiVersion: 'node.eks.aws/v1alpha1',
    kind: 'NodeConfig',
    metadata: {},
    spec: {
      cluster: {
        apiServerEndpoint: clusterEndpoint,
        certificateAuthority,
        cidr: clusterCIDR,
        name: clusterName,
      },
      containerd: {},
      instance: { localStorage: { strategy: input.instanceStorePolicy } },
      kubelet: {
        config: { ...kubelet, registerWithTaints: taints },
        flags: flag === undefined ? undefined : [flag],
      },
    },
  };
  return `# Karpenter Generated NodeConfig\n${writeYaml(config as unknown as Json)}`;
}

function canonicalBase64(text: string): string {
  const compact = text.replace(/[\r\n]/g, '');
  const canonical = Buffer.from(compact, 'base64').toString('base64');
  if (canonical !== compact) throw new Error('decoding CABundle, illegal base64 data');
  return canonical;
}

/** Of a MIME archive all parts, of anything else one: a NodeConfig when it is an object, else a script. */
function customParts(text = ''): readonly MimePart[] {
  if (text === '') return [];
  if (!looksLikeMime(text)) return [partOf(isYamlObject(text) ? NODE_CONFIG : SHELL_SCRIPT, text)];
  return parseMime(text).map(({ headers, content }) => partOf(headerOf(headers, 'Content-Type') ?? '', content));
}

/** Directives, and the end of a document: without content they are no YAML. */
const MARKS = /^(?:%|\.{3})/m;

/** An empty document counts as one. */
function isYamlObject(text: string): boolean {
  const [document] = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' });
  if (!document) return !MARKS.test(text);
  if (document.errors.length > 0 || hasOddKeys(document)) return false;
  try {
    const value: unknown = document.toJS();
    return value === null ? !MARKS.test(text) : typeof value === 'object' && !Array.isArray(value);
  } catch {
    // An alias of nothing.
    return false;
  }
}

/** Go's maps have neither nothing nor collections as keys. */
function hasOddKeys(document: Document.Parsed): boolean {
  let found = false;
  visit(document, {
    Pair: (_, { key }) => {
      found ||= isCollection(key) || (isScalar(key) && key.value === null);
    },
  });
  return found;
}
