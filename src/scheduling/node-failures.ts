import { LABEL_HOSTNAME } from '../apis/labels.ts';
import { formatMilli } from '../kube/quantity.ts';
import type { ExistingNode } from './existing-node.ts';
import { portConflict } from './host-ports.ts';
import { overLimit, targetOf } from './node-placements.ts';
import type { PodShape } from './pod-shape.ts';
import { incompatible, taintReason, topologyReason } from './reasons.ts';
import { Requirement } from './requirement.ts';
import { Requirements } from './requirements.ts';
import type { SchedulingRun } from './scheduling-run.ts';
import { untolerated } from './taints.ts';
import type { Reason, TargetFailure } from './types.ts';

/** Said of a node that nothing speaks against. */
export const NOT_TRIED = 'not tried';

/** Why each node that takes part refuses the shape, in upstream's order of checks (karpenter-core.md 4.5.3). */
export function nodeFailures(run: SchedulingRun, shape: PodShape): TargetFailure[] {
  return run.state.nodes
    .filter((node) => !run.excluded(node))
    .map((node) => ({
      kind: node.state.node ? ('Node' as const) : ('NodeClaim' as const),
      name: node.name,
      reasons: nodeReasons(run, shape, node),
    }));
}

function nodeReasons(run: SchedulingRun, shape: PodShape, node: ExistingNode): readonly Reason[] {
  const taints = untolerated(node.taints, shape.spec.tolerations);
  if (taints.length > 0) return taints.map(taintReason);
  const now = run.nodes.current(node);
  const volumes = overLimit(node, now.volumes, shape.volumes);
  if (volumes) {
    const { driver, count, limit } = volumes;
    const message = `checking volume usage, would exceed volume limit (provisioner=${driver}, volume-count=${count}, volume-limit=${limit})`;
    return [{ code: 'VolumeLimit', message, subject: driver }];
  }
  const port = portConflict(shape.ports, now.ports);
  if (port) {
    const message = `checking host port usage, pod hostport conflicts with existing hostport configuration (existing-hostport-ip=${port.taken.ip}, existing-hostport-port=${port.taken.port}, existing-hostport-protocol=${port.taken.protocol}, pod-hostport-ip=${port.wanted.ip}, pod-hostport-port=${port.wanted.port}, pod-hostport-protocol=${port.wanted.protocol})`;
    return [{ code: 'HostPortConflict', message, subject: String(port.wanted.port) }];
  }
  const overdrawn = now.remaining.findIndex((amount) => amount < 0);
  const short = shape.requestIds.find((id, i) => (shape.requestAmounts[i] ?? 0) > (now.remaining[id] ?? 0));
  if (short !== undefined || overdrawn >= 0) {
    const subject = run.state.names.name(short ?? overdrawn);
    const print = (milli: number): string => `${subject} ${formatMilli(subject, milli)}`;
    const id = short ?? overdrawn;
    return [
      {
        code: 'InsufficientResources',
        message: 'exceeds node resources',
        subject,
        pod: print(shape.requestAmounts[shape.requestIds.indexOf(id)] ?? 0),
        other: print(now.remaining[id] ?? 0),
      },
    ];
  }
  const labels = shape.hostname?.has(node.hostname) === false ? undefined : run.nodes.labelsFor(node, shape);
  if (!labels) return [requirementReason(node, shape)];
  const failure = run.topology.failure(shape, labels, targetOf(node));
  if (failure) return [topologyReason(failure, () => run.hostnames())];
  if (shape.volumeAlternatives?.every(({ set }) => !run.state.sets.join(labels, set, false))) {
    return [{ code: 'VolumeTopology', message: 'incompatible volume requirements' }];
  }
  if (run.options.enforceConsolidateAfter && run.state.underConsolidateAfter(node)) {
    return [{ code: 'ConsolidateAfter', message: 'node is within its consolidateAfter' }];
  }
  return [{ code: 'NotReached', message: NOT_TRIED }];
}

function requirementReason(node: ExistingNode, shape: PodShape): Reason {
  const own = Requirements.fromLabels(node.labels);
  own.replace(Requirement.of(LABEL_HOSTNAME, 'In', [node.hostname]));
  const hostname = shape.hostname ? [shape.hostname] : [];
  return incompatible('', own, new Requirements([...shape.set.requirements, ...hostname]));
}
