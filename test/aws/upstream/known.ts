import type { Difference } from './differences.ts';

/** A difference that is meant. */
export interface KnownDifference {
  /** Its row of test/parity/differences.md, by what stands there first. */
  readonly row: string;
  readonly covers: (difference: Difference) => boolean;
}

const at =
  (path: RegExp) =>
  (difference: Difference): boolean =>
    path.test(difference.path);

/** What the comparison with upstream's controller lets pass, and why. */
export const KNOWN: readonly KnownDifference[] = [
  { row: 'the hash of a node class', covers: at(/\.annotations\.karpenter\.k8s\.aws\/ec2nodeclass-hash(-version)?$/) },
  { row: 'the label `karpenter.k8s.aws/nitro-sandbox`', covers: at(/\.labels\.karpenter\.k8s\.aws\/nitro-sandbox$/) },
  {
    row: 'bandwidth, branch interfaces and list prices of types',
    covers: ({ path, theirs }) => /\.vpc\.amazonaws\.com\/pod-eni$/.test(path) && theirs === undefined,
  },
  {
    row: 'what EC2 refused to sell a short time ago',
    covers: at(/^nodeClass\.annotations\.karpenter\.k8s\.aws\/sold-out$/),
  },
  {
    row: 'the event `Finalized` of an object that is gone',
    covers: ({ path, theirs }) => path.startsWith('events.NodeClaim Normal Finalized: ') && theirs === undefined,
  },
];
