import { LABEL_NODEPOOL } from '../../src/apis/labels.ts';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import { conditionIsTrue, findCondition } from '../../src/kube/conditions.ts';

export const poolOf = (claim: NodeClaim): string => claim.metadata.labels?.[LABEL_NODEPOOL] ?? '';

export const isInitialized = (claim: NodeClaim): boolean => conditionIsTrue(claim, 'Initialized');

export const disruptionReason = (claim: NodeClaim): string | undefined => {
  const condition = findCondition(claim, 'DisruptionReason');
  return condition?.status === 'True' ? condition.reason : undefined;
};
