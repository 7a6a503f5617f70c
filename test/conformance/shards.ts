/** Areas whose cases share definitions of fixed names, which one runner makes and removes. */
const definitions = new Set(['crd-karpenter']);
/** Areas whose cases change what others see, such as a default class. */
const clusterWide = new Set(['cluster-defaults']);
/** Runners beside each other; most of their time is waiting. */
const width = 4;

export interface Shards {
  readonly together: readonly (readonly string[])[];
  readonly alone: readonly (readonly string[])[];
}

/** Cuts cases into parts that don't disturb each other; an area stays in one part. */
export function shardsOf(cases: readonly { readonly id: string; readonly area: string }[]): Shards {
  const areas = [...Map.groupBy(cases, ({ area }) => area)].sort(([, a], [, b]) => b.length - a.length);
  const parts: string[][] = Array.from({ length: width }, () => []);
  const alone: string[][] = [];
  for (const [area, list] of areas) {
    const ids = list.map(({ id }) => id);
    if (clusterWide.has(area)) alone.push(ids);
    else if (definitions.has(area)) parts[0]?.push(...ids);
    else parts.reduce((least, part) => (part.length < least.length ? part : least)).push(...ids);
  }
  return { together: parts.filter((part) => part.length > 0), alone };
}
