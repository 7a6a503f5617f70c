import { FINALIZER_TERMINATION, TAINT_DISRUPTED } from '../../src/apis/labels.ts';
import { NodePools } from '../../src/kube/resources.ts';
import type { TestEnvironment } from '../environment.ts';
import { snapshot } from '../expectations/index.ts';
import { disruptionReason, isInitialized, poolOf } from './claims.ts';

/** What is not in its place in a cluster that nobody has troubled for long. */
export async function unsettled(env: TestEnvironment): Promise<readonly string[]> {
  const { claims, nodes, pods } = await snapshot(env);
  const pools = (await env.client.list(NodePools)).items;
  const problems: string[] = [];
  const ids = new Set(claims.map((claim) => claim.status?.providerID));
  for (const claim of claims) {
    const { name, deletionTimestamp } = claim.metadata;
    if (deletionTimestamp) problems.push(`claim ${name} has been going since ${deletionTimestamp}`);
    else if (!isInitialized(claim)) problems.push(`claim ${name} is not initialized`);
    if (disruptionReason(claim)) problems.push(`claim ${name} is to be disrupted: ${disruptionReason(claim)}`);
    const own = nodes.filter((node) => node.spec.providerID === claim.status?.providerID);
    if (own.length !== 1) problems.push(`claim ${name} has ${own.length} nodes`);
  }
  for (const { metadata, spec } of nodes) {
    if (!ids.has(spec.providerID)) problems.push(`node ${metadata.name} has no claim`);
    if (metadata.deletionTimestamp) problems.push(`node ${metadata.name} has been going`);
    if (!metadata.finalizers?.includes(FINALIZER_TERMINATION)) problems.push(`node ${metadata.name} has no finalizer`);
    const taints = spec.taints?.filter(({ key }) => key === TAINT_DISRUPTED.key || key.startsWith('karpenter.sh/'));
    if (taints?.length) problems.push(`node ${metadata.name} is tainted ${taints.map(({ key }) => key).join()}`);
  }
  for (const { metadata, status } of pods) {
    if (status?.phase !== 'Running' || metadata.deletionTimestamp) {
      problems.push(`pod ${metadata.name} is ${metadata.deletionTimestamp ? 'going' : status?.phase}`);
    }
  }
  for (const { metadata, spec } of pools) {
    if (spec.replicas === undefined) continue;
    const has = claims.filter((claim) => poolOf(claim) === metadata.name).length;
    if (has !== spec.replicas) problems.push(`pool ${metadata.name} has ${has} of ${spec.replicas} nodes`);
  }
  return problems;
}
