import { LABEL_CAPACITY_TYPE, LABEL_INSTANCE_TYPE, LABEL_NODEPOOL, LABEL_ZONE } from '../../apis/labels.ts';
import type { NodeClaim } from '../../apis/node-claim.ts';
import { nodePrice } from '../../explain/node-price.ts';
import { conditionIsTrue, findCondition } from '../../kube/conditions.ts';
import type { Change } from '../../kube/informer.ts';
import type { InstanceType } from '../../scheduling/instance-type.ts';
import { formatHourly } from '../amounts.ts';
import type { Style } from '../style.ts';

export interface DecisionLogContext {
  readonly style: Style;
  readonly instanceTypes: readonly InstanceType[];
  /** Of the API objects' times and of the lines, epoch milliseconds. */
  readonly now: () => number;
}

type ClaimChange = Change<NodeClaim>;

const REASONS: Readonly<Record<string, string>> = {
  Empty: 'empty: no pod needs it',
  Underutilized: 'underutilized: its pods fit elsewhere for less',
  Drifted: 'drifted from its NodePool or node class',
  Expired: 'older than expireAfter',
};

/** What a change of a NodeClaim means, as a line to print; undefined when it is nothing to tell. */
export function decisionLine(
  change: ClaimChange,
  { style, instanceTypes, now }: DecisionLogContext,
): string | undefined {
  const claim = change.object;
  const name = claim.metadata.name;
  const line = (mark: string, text: string): string => `${style.dim(clock(now()))} ${mark} nodeclaim/${name}  ${text}`;
  if (change.type === 'Deleted') return line(style.dim('-'), `gone after ${seconds(claim, now())}`);
  const old = change.old;
  const began = (type: string): boolean => conditionIsTrue(claim, type) && !(old && conditionIsTrue(old, type));
  if (!old) {
    if (claim.metadata.deletionTimestamp || conditionIsTrue(claim, 'Launched')) return undefined;
    const pool = claim.metadata.labels?.[LABEL_NODEPOOL];
    return line(
      style.good('+'),
      pool === undefined ? 'created, of no NodePool' : `wanted by NodePool ${pool} for ${requests(claim)}`,
    );
  }
  if (claim.metadata.deletionTimestamp && !old.metadata.deletionTimestamp) {
    return line(style.warn('-'), `draining, ${disruptionReason(claim)}`);
  }
  if (began('DisruptionReason')) return line(style.warn('~'), `to be disrupted, ${disruptionReason(claim)}`);
  if (began('Initialized'))
    return line(style.good(style.tick), `node/${claim.status?.nodeName} ready after ${seconds(claim, now())}`);
  if (began('Launched')) return line(style.good('+'), `launched ${offer(claim, instanceTypes)}`);
  if (began('Drifted')) return line(style.warn('~'), `drifted: ${findCondition(claim, 'Drifted')?.reason ?? ''}`);
  return undefined;
}

function disruptionReason(claim: NodeClaim): string {
  const reason = findCondition(claim, 'DisruptionReason')?.reason;
  return reason === undefined ? 'deleted' : (REASONS[reason] ?? reason);
}

function requests(claim: NodeClaim): string {
  const { cpu = '0', memory, pods } = claim.spec.resources?.requests ?? {};
  return [`${cpu} cpu`, memory ? `${memory} memory` : '', pods ? `${pods} pods` : ''].filter(Boolean).join(', ');
}

function offer(claim: NodeClaim, instanceTypes: readonly InstanceType[]): string {
  const labels = claim.metadata.labels ?? {};
  const price = nodePrice(labels, instanceTypes);
  const parts = [labels[LABEL_INSTANCE_TYPE], labels[LABEL_CAPACITY_TYPE], labels[LABEL_ZONE]].filter(Boolean);
  return `${parts.join(', ')}${price === undefined ? '' : `, ${formatHourly(price)}`}`;
}

function seconds(claim: NodeClaim, now: number): string {
  const created = Date.parse(claim.metadata.creationTimestamp ?? '');
  return Number.isNaN(created) ? 'an unknown time' : `${Math.max(0, Math.round((now - created) / 1000))}s`;
}

/** The local time of day. */
function clock(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}
