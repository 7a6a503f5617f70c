import { CreateError, NodeClassNotReadyError } from '../cloudprovider/errors.ts';
import { findCondition } from '../kube/conditions.ts';
import type { EC2NodeClass } from './apis/ec2-node-class.ts';

/** What operatorpkg says of a condition that nobody has set yet. */
const AWAITING = 'object is awaiting reconciliation';

/** @throws NodeClassNotReadyError, CreateError unless the class is ready as it stands now (aws-provider.md 17.2). */
export function requireReady(nodeClass: EC2NodeClass): void {
  const ready = findCondition(nodeClass, 'Ready');
  if (ready?.status === 'False') throw new NodeClassNotReadyError(ready.message ?? '');
  if (ready?.status !== 'True') {
    const message = ready ? (ready.message ?? '') : AWAITING;
    throw new CreateError(
      `resolving nodeclass readiness, nodeclass is in Ready=Unknown, ${message}`,
      'NodeClassReadinessUnknown',
      'NodeClass is in Ready=Unknown',
    );
  }
  if ((ready.observedGeneration ?? 0) !== (nodeClass.metadata.generation ?? 0)) {
    throw new NodeClassNotReadyError('nodeclass status has not been reconciled against the latest spec');
  }
}
