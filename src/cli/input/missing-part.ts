const TEMPLATE = ['spec', 'spec.template', 'spec.template.spec', 'spec.template.spec.containers[]'];
/** Parts that the API demands and that everything here relies on, by kind; a name is a mapping, `name[]` a list of mappings. */
const DEMANDED: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec', 'spec.containers[]'],
  PodTemplate: ['template', 'template.spec', 'template.spec.containers[]'],
  DaemonSet: TEMPLATE,
  Deployment: TEMPLATE,
  ReplicaSet: TEMPLATE,
  StatefulSet: TEMPLATE,
  NodePool: ['spec', 'spec.template', 'spec.template.spec', 'spec.template.spec.requirements[]'],
  NodeClaim: ['spec', 'spec.requirements[]'],
  PersistentVolumeClaim: ['spec'],
  PersistentVolume: ['spec'],
  PodDisruptionBudget: ['spec'],
  LimitRange: ['spec', 'spec.limits[]'],
  CSINode: ['spec'],
};

export interface MissingPart {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
}

function demands(kind: unknown): readonly string[] {
  return typeof kind === 'string' && Object.hasOwn(DEMANDED, kind) ? (DEMANDED[kind] ?? []) : [];
}

/** Paths of the lists that an object of the kind has to have, be they empty. */
export function demandedLists(kind: string): readonly (readonly string[])[] {
  return demands(kind).flatMap((demand) => (demand.endsWith('[]') ? [demand.slice(0, -2).split('.')] : []));
}

/** The first demanded part that an object hasn't got, or has in another shape; kinds without demands always pass. */
export function missingPart(object: Readonly<Record<string, unknown>>): MissingPart | undefined {
  for (const demand of demands(object.kind)) {
    const isList = demand.endsWith('[]');
    const path = isList ? demand.slice(0, -2) : demand;
    const found = path.split('.').reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);
    if (!isList && !isRecord(found)) return { path, expected: 'a mapping', found: describeValue(found) };
    if (!isList) continue;
    if (!Array.isArray(found)) return { path, expected: 'a list', found: describeValue(found) };
    const odd = found.findIndex((item) => !isRecord(item));
    if (odd >= 0) return { path: `${path}[${odd}]`, expected: 'a mapping', found: describeValue(found[odd]) };
  }
  return undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a value is, in a message's words. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'a mapping' : `the ${typeof value} ${JSON.stringify(value)}`;
}
