import type { LabelSelector } from '../../kube/objects.ts';
import { selects } from '../../kube/selectors.ts';
import { badRequest, forbidden, notFound, refusal, tooManyRequests } from '../api-refusals.ts';
import { asNumber, asObject, asObjects, asString, isObject, timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { isDeleting, labelsOf, metaOf, nameOf, withMeta } from '../object-meta.ts';
import { admitBody } from '../registry/admit-body.ts';
import { decodeBody } from '../registry/decode-body.ts';
import { removeObject } from '../registry/delete-object.ts';
import type { RegistryDeps } from '../registry/registry-deps.ts';
import type { WriteRequest } from '../registry/request.ts';

const success: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
const mostDisruptedPods = 2000;

/** The eviction subresource: a deletion that disruption budgets may refuse with 429. Throws ApiError. */
export async function evictPod(deps: RegistryDeps, request: WriteRequest, body: unknown): Promise<JsonObject> {
  const kind = deps.kinds.named({ group: 'policy', version: 'v1', kind: 'Eviction' });
  const eviction = await decodeBody(request, kind, inVersion1(body));
  if (nameOf(eviction) !== request.name) throw badRequest('name in URL does not match name in Eviction object');
  const options = asObject(eviction.deleteOptions);
  const dryRun = request.dryRun || (Array.isArray(options.dryRun) && options.dryRun.includes('All'));
  await admitBody(deps, request, eviction, kind);
  await evict(deps, { ...request, dryRun }, options);
  await deps.store.committed();
  return success;
}

/** The older version differs in its name only. */
const inVersion1 = (body: unknown): unknown =>
  isObject(body) && body.apiVersion === 'policy/v1beta1' ? { ...body, apiVersion: 'policy/v1' } : body;

async function evict(deps: RegistryDeps, request: WriteRequest, options: JsonObject): Promise<void> {
  const { namespace, name } = request;
  const pod = deps.store.get('pods', `${namespace}/${name}`);
  if (!pod) throw notFound({ group: '', resource: 'pods' }, name);
  if (!ignoresBudgets(pod)) {
    const budgets = budgetsOf(deps, pod);
    if (budgets.length > 1) {
      throw refusal(
        500,
        '',
        'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      );
    }
    const [budget] = budgets;
    if (budget && !unhealthyMayGo(pod, budget)) spend(deps, request, budget);
  }
  disrupt(deps, request, pod);
  await removeObject(
    deps,
    { ...request, subresource: '' },
    {
      ...(typeof options.gracePeriodSeconds === 'number' ? { gracePeriodSeconds: options.gracePeriodSeconds } : {}),
      ...(options.preconditions ? { preconditions: asObject(options.preconditions) as { uid?: string } } : {}),
    },
    { admitted: true },
  );
}

/** Pods that have ended, haven't begun, or are going already. */
function ignoresBudgets(pod: JsonObject): boolean {
  const phase = asString(asObject(pod.status).phase);
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending' || isDeleting(pod);
}

function budgetsOf({ store }: RegistryDeps, pod: JsonObject): readonly JsonObject[] {
  return store
    .list('policy/poddisruptionbudgets', `${asString(metaOf(pod).namespace)}/`)
    .map(([, budget]) => budget)
    .filter((budget) => {
      const selector = asObject(budget.spec).selector;
      return selects(selector as LabelSelector | undefined, labelsOf(pod));
    });
}

const isReady = (pod: JsonObject): boolean =>
  asObjects(asObject(pod.status).conditions).some(({ type, status }) => type === 'Ready' && status === 'True');

function unhealthyMayGo(pod: JsonObject, budget: JsonObject): boolean {
  if (isReady(pod)) return false;
  if (asObject(budget.spec).unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const status = asObject(budget.status);
  const desired = asNumber(status.desiredHealthy);
  return asNumber(status.currentHealthy) >= desired && desired > 0;
}

/** Takes one disruption from a budget, and says in its status which pod is about to go. */
function spend({ store, clock }: RegistryDeps, request: WriteRequest, budget: JsonObject): void {
  const name = nameOf(budget);
  const status = asObject(budget.status);
  if (asNumber(status.observedGeneration) < asNumber(metaOf(budget).generation)) {
    throw tooManyRequests(
      "Cannot evict pod as it would violate the pod's disruption budget.",
      [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${name} is still being processed by the server.`,
        },
      ],
      10,
    );
  }
  const allowed = asNumber(status.disruptionsAllowed);
  const of = { group: 'policy', resource: 'poddisruptionbudget' };
  if (allowed < 0) throw forbidden(of, name, 'pdb disruptions allowed is negative');
  const disrupted = asObject(status.disruptedPods);
  if (Object.keys(disrupted).length > mostDisruptedPods) {
    throw forbidden(of, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (allowed === 0) {
    throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", [
      { reason: 'DisruptionBudget', message: whyNot(name, status) },
    ]);
  }
  if (request.dryRun) return;
  const conditions = allowed === 1 ? withoutAllowance(budget, status, timestamp(clock.now())) : status.conditions;
  store.put('policy/poddisruptionbudgets', `${asString(metaOf(budget).namespace)}/${name}`, {
    ...budget,
    status: {
      ...status,
      disruptionsAllowed: allowed - 1,
      disruptedPods: { ...disrupted, [request.name]: timestamp(clock.now()) },
      ...(conditions ? { conditions } : {}),
    },
  });
}

function whyNot(name: string, status: JsonObject): string {
  const condition = asObjects(status.conditions).find(({ type }) => type === 'DisruptionAllowed');
  const text = condition?.status === 'False' ? asString(condition.message) : '';
  const desired = asNumber(status.desiredHealthy);
  const current = asNumber(status.currentHealthy);
  if (text && condition?.reason === 'SyncFailed') {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${text}`;
  }
  if (current <= desired) {
    return `The disruption budget ${name} needs ${desired} healthy pods and has ${current} currently`;
  }
  if (text) {
    return `The disruption budget ${name} does not allow evicting pods currently (${asString(condition?.reason)}): ${text}`;
  }
  return `The disruption budget ${name} does not allow evicting pods currently`;
}

function withoutAllowance(budget: JsonObject, status: JsonObject, now: string): readonly JsonObject[] {
  const others = asObjects(status.conditions).filter(({ type }) => type !== 'DisruptionAllowed');
  const condition: JsonObject = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: metaOf(budget).generation ?? 0,
    lastTransitionTime: now,
    reason: 'InsufficientPods',
    message: '',
  };
  return [...others, condition];
}

/** Marks the pod as the target of a disruption, as upstream does just before it deletes it. */
function disrupt({ store, clock }: RegistryDeps, request: WriteRequest, pod: JsonObject): void {
  if (request.dryRun) return;
  const status = asObject(pod.status);
  const others = asObjects(status.conditions).filter(({ type }) => type !== 'DisruptionTarget');
  const condition: JsonObject = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(clock.now()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
    ...(metaOf(pod).generation === undefined ? {} : { observedGeneration: metaOf(pod).generation }),
  };
  store.put(
    'pods',
    `${request.namespace}/${request.name}`,
    withMeta({ ...pod, status: { ...status, conditions: [...others, condition] } }, {}),
  );
}
