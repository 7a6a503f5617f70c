import type { Resource } from '../kube/client.ts';
import type { Condition, KubeObject } from '../kube/objects.ts';

/** Any provider's node class, as far as all have in common. */
export interface AnyNodeClass extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: { readonly conditions?: readonly Condition[] } & Readonly<Record<string, unknown>>;
}

/** The node classes that commands know, of the fake cloud and of EC2. */
export const NODE_CLASS_KINDS: readonly Resource<AnyNodeClass>[] = [
  {
    group: 'karpenter.kwok.sh',
    version: 'v1alpha1',
    plural: 'kwoknodeclasses',
    kind: 'KWOKNodeClass',
    namespaced: false,
  },
  { group: 'karpenter.k8s.aws', version: 'v1', plural: 'ec2nodeclasses', kind: 'EC2NodeClass', namespaced: false },
];

/** Those that are meant by a type: all kinds by `nodeclass`, one by its own name. */
export const kindsOfType = (type: string): readonly Resource<AnyNodeClass>[] =>
  NODE_CLASS_KINDS.filter(({ kind }) => type === 'nodeclass' || kind.toLowerCase() === type);
