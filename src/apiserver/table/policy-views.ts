import { asArray, asNumber, asObject, asObjects, asString } from '../json.ts';
import type { Json, JsonObject } from '../kind.ts';
import { metaOf, nameOf } from '../object-meta.ts';
import { humanDuration } from './age.ts';
import { age, joined, NONE, UNKNOWN } from './cells.ts';
import { columns } from './columns.ts';
import type { TableView } from './table.ts';

const named = (...middle: readonly string[]) => columns('Name/name', ...middle, 'Age');
const roleBindings: TableView = {
  columns: columns('Name/name', 'Role', 'Age', 'Users*', 'Groups*', 'ServiceAccounts*'),
  row: (binding, context) => {
    const role = asObject(binding.roleRef);
    const subjects = asObjects(binding.subjects);
    const of = (kind: string) => subjects.filter((subject) => subject.kind === kind);
    const accounts = of('ServiceAccount').map(({ namespace, name }) => `${asString(namespace)}/${asString(name)}`);
    return [
      nameOf(binding),
      `${asString(role.kind)}/${asString(role.name)}`,
      age(binding, context),
      joined(
        of('User').map(({ name }) => name),
        ', ',
      ),
      joined(
        of('Group').map(({ name }) => name),
        ', ',
      ),
      joined(accounts, ', '),
    ];
  },
};
const roles: TableView = {
  columns: columns('Name/name', 'Created At:date'),
  row: (role) => [nameOf(role), asString(metaOf(role).creationTimestamp)],
};
const webhooks: TableView = {
  columns: named('Webhooks:integer'),
  row: (configuration, context) => [
    nameOf(configuration),
    asArray(configuration.webhooks).length,
    age(configuration, context),
  ],
};
const paramKind = (policy: JsonObject): string => {
  const { apiVersion, kind } = asObject(asObject(policy.spec).paramKind);
  return kind ? `${asString(apiVersion)}/${asString(kind)}` : '<unset>';
};
const policies = (title: string, list: string): TableView => ({
  columns: named(`${title}:integer`, 'ParamKind'),
  row: (policy, context) => [
    nameOf(policy),
    asArray(asObject(policy.spec)[list]).length,
    paramKind(policy),
    age(policy, context),
  ],
});
const policyBindings: TableView = {
  columns: named('PolicyName', 'ParamRef'),
  row: (binding, context) => {
    const spec = asObject(binding.spec);
    const { name, namespace } = asObject(spec.paramRef);
    const ref =
      spec.paramRef === undefined ? '<unset>' : [namespace, name].filter(Boolean).map(String).join('/') || '*';
    return [nameOf(binding), asString(spec.policyName), ref, age(binding, context)];
  },
};

/** Who may do what, limits and budgets, by collection. */
export const policyViews: Readonly<Record<string, TableView>> = {
  'policy/poddisruptionbudgets': {
    columns: named('Min Available', 'Max Unavailable', 'Allowed Disruptions:integer'),
    row: (budget, context) => {
      const { minAvailable, maxUnavailable } = asObject(budget.spec);
      const shown = (value: Json | undefined): string => (value === undefined ? 'N/A' : String(value));
      const allowed = asNumber(asObject(budget.status).disruptionsAllowed);
      return [nameOf(budget), shown(minAvailable), shown(maxUnavailable), allowed, age(budget, context)];
    },
  },
  'autoscaling/horizontalpodautoscalers': {
    columns: named('Reference', 'Targets', 'MinPods', 'MaxPods', 'Replicas'),
    row: (scaler, context) => {
      const spec = asObject(scaler.spec);
      const target = asObject(spec.scaleTargetRef);
      return [
        nameOf(scaler),
        `${asString(target.kind)}/${asString(target.name)}`,
        metricTargets(scaler),
        spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
        asNumber(spec.maxReplicas),
        asNumber(asObject(scaler.status).currentReplicas),
        age(scaler, context),
      ];
    },
  },
  resourcequotas: {
    columns: named('Request', 'Limit'),
    row: (quota, context) => {
      const { hard, used } = asObject(quota.status);
      const parts = Object.entries(asObject(hard))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => [name, `${name}: ${asString(asObject(used)[name]) || '0'}/${String(value)}`] as const);
      const limits = parts.filter(([name]) => name.startsWith('limits.'));
      const requests = parts.filter(([name]) => !name.startsWith('limits.'));
      const text = (list: typeof parts): string => list.map(([, shown]) => shown).join(', ');
      return [nameOf(quota), text(requests), text(limits), age(quota, context)];
    },
  },
  'scheduling.k8s.io/priorityclasses': {
    columns: columns('Name/name', 'Value:integer', 'Global-Default:boolean', 'Age', 'PreemptionPolicy*'),
    row: (priority, context) => [
      nameOf(priority),
      asNumber(priority.value),
      priority.globalDefault === true,
      age(priority, context),
      asString(priority.preemptionPolicy),
    ],
  },
  'rbac.authorization.k8s.io/rolebindings': roleBindings,
  'rbac.authorization.k8s.io/clusterrolebindings': roleBindings,
  'rbac.authorization.k8s.io/roles': roles,
  'rbac.authorization.k8s.io/clusterroles': roles,
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/validatingwebhookconfigurations': webhooks,
  'admissionregistration.k8s.io/validatingadmissionpolicies': policies('Validations', 'validations'),
  'admissionregistration.k8s.io/mutatingadmissionpolicies': policies('Mutations', 'mutations'),
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': policyBindings,
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': policyBindings,
  'certificates.k8s.io/certificatesigningrequests': {
    columns: columns('Name/name', 'Age', 'SignerName', 'Requestor', 'RequestedDuration', 'Condition'),
    row: (request, context) => {
      const spec = asObject(request.spec);
      const seconds = spec.expirationSeconds;
      return [
        nameOf(request),
        age(request, context),
        asString(spec.signerName) || NONE,
        asString(spec.username),
        typeof seconds === 'number' ? humanDuration(seconds * 1000) : NONE,
        requestCondition(request),
      ];
    },
  },
};

function requestCondition(request: JsonObject): string {
  const status = asObject(request.status);
  const types = asObjects(status.conditions).map(({ type }) => type);
  const states = [
    types.includes('Denied') ? 'Denied' : types.includes('Approved') ? 'Approved' : 'Pending',
    ...(types.includes('Failed') ? ['Failed'] : []),
    ...(asString(status.certificate) ? ['Issued'] : []),
  ];
  return states.join(',');
}

function metricTargets(scaler: JsonObject): string {
  const metrics = asObjects(asObject(scaler.spec).metrics);
  const current = asObjects(asObject(scaler.status).currentMetrics);
  if (metrics.length === 0) return NONE;
  const texts = metrics.map((metric, index) => metricTarget(metric, current[index] ?? {}));
  const more = texts.length > 2 ? ` + ${texts.length - 2} more...` : '';
  return texts.slice(0, 2).join(', ') + more;
}

const sources: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

function metricTarget(metric: JsonObject, state: JsonObject): string {
  const key = sources[asString(metric.type)] ?? '';
  const source = asObject(metric[key]);
  const target = asObject(source.target);
  const now = asObject(asObject(state[key]).current);
  const resource = key === 'resource' || key === 'containerResource';
  const prefix = resource ? `${asString(source.name)}: ` : '';
  if (target.averageValue !== undefined) {
    const suffix = key === 'external' || key === 'object' ? ' (avg)' : '';
    return `${prefix}${asString(now.averageValue) || UNKNOWN}/${asString(target.averageValue)}${suffix}`;
  }
  if (!resource) return `${asString(now.value) || UNKNOWN}/${asString(target.value)}`;
  const shown = now.averageUtilization === undefined ? UNKNOWN : `${asNumber(now.averageUtilization)}%`;
  const wanted = target.averageUtilization === undefined ? '<auto>' : `${asNumber(target.averageUtilization)}%`;
  return `${prefix}${shown}/${wanted}`;
}
