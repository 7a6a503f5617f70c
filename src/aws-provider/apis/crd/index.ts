import type { CustomResourceDefinition } from '../../../apis/crds/definition.ts';
import { CORE_DEFINITIONS } from '../../../apis/crds/index.ts';
import type { JsonSchema, ValidationRule } from '../../../apis/crds/json-schema.ts';
import { EC2_NODE_CLASS_DEFINITION } from './ec2-node-class.ts';
import { labelKeyRule, labelKeysRule, overlayKeyRule } from './label-rules.ts';

/** Where a rule of the provider goes: property names, `*` for the items of a list. */
interface Patch {
  readonly definition: string;
  readonly path: readonly string[];
  readonly rule: ValidationRule;
}

const KEY = ['requirements', '*', 'key'];

const PATCHES: readonly Patch[] = [
  { definition: 'nodepools.karpenter.sh', path: ['spec', 'template', 'metadata', 'labels'], rule: labelKeysRule },
  { definition: 'nodepools.karpenter.sh', path: ['spec', 'template', 'spec', ...KEY], rule: labelKeyRule },
  { definition: 'nodeclaims.karpenter.sh', path: ['spec', ...KEY], rule: labelKeyRule },
  { definition: 'nodeoverlays.karpenter.sh', path: ['spec', ...KEY], rule: overlayKeyRule },
];

function withRule(schema: JsonSchema, path: readonly string[], rule: ValidationRule): JsonSchema {
  const [name, ...rest] = path;
  if (name === undefined) {
    return { ...schema, 'x-kubernetes-validations': [...(schema['x-kubernetes-validations'] ?? []), rule] };
  }
  const inner = name === '*' ? schema.items : schema.properties?.[name];
  if (inner === undefined) throw new RangeError(`the schema has no ${name}`);
  const changed = withRule(inner, rest, rule);
  return name === '*'
    ? { ...schema, items: changed }
    : { ...schema, properties: { ...schema.properties, [name]: changed } };
}

const patched = (definition: CustomResourceDefinition, { path, rule }: Patch): CustomResourceDefinition => ({
  ...definition,
  spec: {
    ...definition.spec,
    versions: definition.spec.versions.map((version) => ({
      ...version,
      schema: { openAPIV3Schema: withRule(version.schema?.openAPIV3Schema ?? {}, path, rule) },
    })),
  },
});

/**
 * The definitions of a cluster on EC2: the core's, which then know the labels of karpenter.k8s.aws, and EC2NodeClass
 * (aws-provider.md section 4).
 */
export function awsDefinitions(): readonly CustomResourceDefinition[] {
  const core = CORE_DEFINITIONS.map((definition) =>
    PATCHES.filter((patch) => patch.definition === definition.metadata.name).reduce(patched, definition),
  );
  return [...core, EC2_NODE_CLASS_DEFINITION];
}
