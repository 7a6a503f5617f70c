import { nearest } from './nearest.ts';
import { UsageError, UserError } from './user-error.ts';

/** What has pods. */
export type WorkloadType = 'deployment' | 'statefulset' | 'daemonset' | 'replicaset' | 'job';

/** Classes of any provider, or those of one. */
export type NodeClassType = 'nodeclass' | 'ec2nodeclass' | 'kwoknodeclass';

/** A type that commands take, with the names that kubectl gives it. */
export interface ObjectType {
  readonly name: 'pod' | 'node' | 'nodeclaim' | 'nodepool' | NodeClassType | WorkloadType;
  readonly names: readonly string[];
  readonly namespaced: boolean;
}

export const OBJECT_TYPES: readonly ObjectType[] = [
  { name: 'pod', names: ['pod', 'pods', 'po'], namespaced: true },
  { name: 'node', names: ['node', 'nodes', 'no'], namespaced: false },
  { name: 'nodeclaim', names: ['nodeclaim', 'nodeclaims', 'nc', 'nodeclaims.karpenter.sh'], namespaced: false },
  { name: 'nodepool', names: ['nodepool', 'nodepools', 'np', 'nodepools.karpenter.sh'], namespaced: false },
  { name: 'nodeclass', names: ['nodeclass', 'nodeclasses'], namespaced: false },
  {
    name: 'ec2nodeclass',
    names: ['ec2nodeclass', 'ec2nodeclasses', 'ec2nc', 'ec2ncs', 'ec2nodeclasses.karpenter.k8s.aws'],
    namespaced: false,
  },
  {
    name: 'kwoknodeclass',
    names: ['kwoknodeclass', 'kwoknodeclasses', 'kwoknc', 'kwokncs', 'kwoknodeclasses.karpenter.kwok.sh'],
    namespaced: false,
  },
  { name: 'deployment', names: ['deployment', 'deployments', 'deploy', 'deployments.apps'], namespaced: true },
  { name: 'statefulset', names: ['statefulset', 'statefulsets', 'sts', 'statefulsets.apps'], namespaced: true },
  { name: 'daemonset', names: ['daemonset', 'daemonsets', 'ds', 'daemonsets.apps'], namespaced: true },
  { name: 'replicaset', names: ['replicaset', 'replicasets', 'rs', 'replicasets.apps'], namespaced: true },
  { name: 'job', names: ['job', 'jobs', 'jobs.batch'], namespaced: true },
];

export interface ObjectReference {
  readonly type: ObjectType;
  readonly name: string;
  readonly namespace?: string;
}

/**
 * Reads `TYPE NAME…`, `TYPE/NAME…`, and for pods `TYPE NAMESPACE/NAME` and `TYPE/NAMESPACE/NAME`. Throws a UsageError for
 * an unknown type or a missing name.
 */
export function parseReferences(words: readonly string[]): readonly ObjectReference[] {
  const [first = ''] = words;
  const slash = first.indexOf('/');
  if (slash < 0) {
    const type = objectType(first);
    const names = words.slice(1);
    if (names.length === 0) throw new UsageError(`which ${type.name}? A name is missing`);
    return names.map((name) => reference(type, name));
  }
  return words.map((word) => {
    const at = word.indexOf('/');
    if (at < 0) throw new UsageError(`"${word}" is not TYPE/NAME like the words before it`);
    return reference(objectType(word.slice(0, at)), word.slice(at + 1));
  });
}

function objectType(word: string): ObjectType {
  const lower = word.toLowerCase();
  const type = OBJECT_TYPES.find(({ names }) => names.includes(lower));
  if (type) return type;
  const near = nearest(
    lower,
    OBJECT_TYPES.map(({ name }) => name),
    2,
  );
  const all = OBJECT_TYPES.map(({ name }) => name).join(', ');
  throw new UsageError(`"${word}" is no type that can be explained`, {
    code: 'KE1302',
    because: [`the types are ${all}`],
    hints: near,
  });
}

function reference(type: ObjectType, text: string): ObjectReference {
  const slash = text.indexOf('/');
  if (slash < 0 || !type.namespaced) return { type, name: text };
  return { type, namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** An error in kubectl's words, with the names that come close. `names` are `ns/name` for namespaced types. */
export function notFound(ref: ObjectReference, names: readonly string[], bin: string): UserError {
  const wanted = ref.namespace ? `${ref.namespace}/${ref.name}` : ref.name;
  const here = ref.namespace ? names.filter((name) => name.startsWith(`${ref.namespace}/`)) : [];
  const near = namesLike(ref.name, here);
  const hints = near.length > 0 ? near : namesLike(ref.name, names);
  return new UserError(`${ref.type.name} "${wanted}" not found`, {
    code: 'KE1301',
    hints: hints.map((name) => `${bin} explain ${ref.type.name} ${name}`),
    because: names.length === 0 ? [`there is no ${ref.type.name} at all`] : [],
  });
}

/** Names whose part after the namespace comes close. */
function namesLike(name: string, names: readonly string[]): string[] {
  const plain = new Map(names.map((full) => [full.slice(full.indexOf('/') + 1), full]));
  return nearest(name, plain.keys()).flatMap((match) => plain.get(match) ?? []);
}
