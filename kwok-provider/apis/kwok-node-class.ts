import type { Resource } from '../../src/kube/client.ts';
import type { Condition, KubeObject } from '../../src/kube/objects.ts';

/** karpenter.kwok.sh/v1alpha1 KWOKNodeClass, cluster scoped: how the fake cloud starts nodes. */
export interface KWOKNodeClass extends KubeObject {
  readonly spec?: {
    /** How long an instance takes until its Node appears, for example `5s`; absent means at once. */
    readonly nodeRegistrationDelay?: string;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export const KWOK_GROUP = 'karpenter.kwok.sh';

export const KwokNodeClasses: Resource<KWOKNodeClass> = {
  group: KWOK_GROUP,
  version: 'v1alpha1',
  plural: 'kwoknodeclasses',
  kind: 'KWOKNodeClass',
  namespaced: false,
};
