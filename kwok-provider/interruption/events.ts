import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { Event } from '../../src/events/recorder.ts';
import type { Node } from '../../src/kube/objects.ts';
import { NodeClaims, Nodes } from '../../src/kube/resources.ts';

/** What the EC2 provider tells of a spot interruption (aws-provider.md section 28), in its words. */
export function interruptionEvents(claim: NodeClaim, node: Node | undefined): readonly Event[] {
  const subjects = [
    { resource: NodeClaims, object: claim, what: 'NodeClaim' },
    ...(node ? [{ resource: Nodes, object: node, what: 'Node' }] : []),
  ];
  return subjects.flatMap(({ resource, object, what }): Event[] => {
    const about = { resource, object, type: 'Warning', dedupe: [object.metadata.uid ?? object.metadata.name] } as const;
    return [
      { ...about, reason: 'SpotInterrupted', message: 'Spot interruption warning was triggered' },
      { ...about, reason: 'TerminatingOnInterruption', message: `Interruption triggered termination for the ${what}` },
    ];
  });
}
