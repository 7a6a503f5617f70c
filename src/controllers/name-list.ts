import type { Pod } from '../kube/objects.ts';

/** The first few names, and how many more there are, as upstream's log lines put it. */
export function nameList(names: readonly string[], shown: number): string {
  const text = names.slice(0, shown).join(', ');
  return names.length > shown ? `${text} and ${names.length - shown} other(s)` : text;
}

/** The same of pods. */
export function podList(pods: readonly Pod[], shown: number): string {
  return nameList(
    pods.map(({ metadata: { name, namespace } }) => `${namespace}/${name}`),
    shown,
  );
}
