/** Edits of amounts: a smaller pod, or a larger limit. */
import type { Container, Pod } from '../kube/objects.ts';
import { podRequests } from '../kube/pod-requests.ts';
import { formatMilli, parseQuantityMilli } from '../kube/quantity.ts';
import type { InstanceType } from '../scheduling/instance-type.ts';
import type { Reason } from '../scheduling/types.ts';
import type { Edit } from './edit.ts';
import { type EditContext, podEdit, poolEdit } from './edit-context.ts';

/** Thousandths that a suggested request is a multiple of. */
const UNITS: Readonly<Record<string, number>> = {
  cpu: 1000,
  memory: 2 ** 28 * 1000,
  'ephemeral-storage': 2 ** 28 * 1000,
};

/** Lowers the requests to what ever smaller instance types can give, the largest first. */
export function shrink(context: EditContext): Edit[] {
  const { pod, instanceTypes } = context;
  const requests = podRequests(pod);
  const seen = new Set<string>();
  const edits: Edit[] = [];
  const bySize = instanceTypes.toSorted((a, b) => leftForPods(b, 'cpu') - leftForPods(a, 'cpu'));
  for (const type of bySize) {
    // A tenth is left for daemons; the packer says whether that is enough.
    const targets = Object.entries(requests).flatMap(([resource, wanted]) => {
      const unit = UNITS[resource] ?? 1000;
      const most = Math.floor((leftForPods(type, resource) * 0.9) / unit) * unit;
      return most > 0 && wanted > most ? [{ resource, wanted, most }] : [];
    });
    const print = (part: 'wanted' | 'most'): string =>
      targets.map((target) => `${target.resource} ${formatMilli(target.resource, target[part])}`).join(', ');
    if (targets.length === 0 || seen.has(print('most'))) continue;
    seen.add(print('most'));
    const change = (p: Pod): Pod =>
      targets.reduce((q, { resource, wanted, most }) => scaleRequests(q, resource, most / wanted), p);
    const path = 'spec.containers[].resources.requests';
    edits.push({ ...podEdit(context, path, print('wanted'), `at most ${print('most')}`, change), family: 'shrink' });
  }
  return edits;
}

function leftForPods(type: InstanceType, resource: string): number {
  const { kubeReserved = {}, systemReserved = {}, evictionThreshold = {} } = type.overhead;
  const taken = (kubeReserved[resource] ?? 0) + (systemReserved[resource] ?? 0) + (evictionThreshold[resource] ?? 0);
  return (type.capacity[resource] ?? 0) - taken;
}

function scaleRequests(pod: Pod, resource: string, factor: number): Pod {
  const scale = (container: Container): Container => {
    const request = container.resources?.requests?.[resource];
    if (request === undefined) return container;
    const amount = formatMilli(resource, Math.floor(parseQuantityMilli(request) * factor));
    const { limits: _, ...resources } = container.resources ?? {};
    return { ...container, resources: { ...resources, requests: { ...resources.requests, [resource]: amount } } };
  };
  return { ...pod, spec: { ...pod.spec, containers: pod.spec.containers.map(scale) } };
}

/** Makes room for a node that holds the pod, in the limit that the reason is about. */
export function raiseLimits({ subject, pod, other }: Reason, context: EditContext): Edit[] {
  const limit = context.pool.spec.limits?.[subject ?? ''];
  if (subject === undefined || limit === undefined) return [];
  const from = String(limit);
  const missing = secondWord(pod) - secondWord(other);
  const to = formatMilli(subject, parseQuantityMilli(from) + Math.max(missing, 0));
  return [
    poolEdit(context, `spec.limits.${subject}`, from, to, (edited) => ({
      ...edited,
      spec: { ...edited.spec, limits: { ...edited.spec.limits, [subject]: to } },
    })),
  ];
}

/** The amount of `cpu 8 (c-8x)` or `cpu 4 of 40`, in thousandths. */
function secondWord(printed = ''): number {
  return parseQuantityMilli(printed.split(' ')[1] ?? '0');
}
