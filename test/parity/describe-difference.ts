import type { Comparison } from './compare-world.ts';
import type { DecidedClaim, Decision } from './decision.ts';

/** What differs between our decision and the first of upstream's, line by line. */
export function describeDifference({ ours, theirs, aside }: Comparison): string {
  const [upstream] = theirs;
  if (!upstream) return 'no answer';
  const left = lines(ours);
  const right = lines(upstream);
  const only = (a: readonly string[], b: readonly string[]) => a.filter((line) => !b.includes(line));
  return [
    `price ${ours.price.toFixed(4)}, upstream ${theirs.map((d) => d.price.toFixed(4)).join(' ')}`,
    `unplaced ${ours.podErrors.length}, upstream ${theirs.map((d) => d.podErrors.length).join(' ')}`,
    ...only(left, right).map((line) => `  ours      ${line}`),
    ...only(right, left).map((line) => `  upstream  ${line}`),
    ...aside,
  ].join('\n');
}

function lines({ newNodeClaims, existingNodes, podErrors }: Decision): string[] {
  return [
    ...newNodeClaims.map(claimLine),
    ...Object.entries(existingNodes).map(([node, pods]) => `on ${node}: ${pods.join(' ')}`),
    ...podErrors.map((pod) => `unplaced ${pod}`),
  ];
}

function claimLine({ nodePool, pods, instanceTypes, requirements, requests }: DecidedClaim): string {
  const types = `${instanceTypes.length} types ${instanceTypes.slice(0, 3).join(' ')}…${instanceTypes.at(-1)}`;
  return `new in ${nodePool}: ${pods.join(' ')} | ${types} | ${requirements.join('; ')} | ${JSON.stringify(requests)}`;
}
