import { asArray, asNumber, asObject, asObjects, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { isDeleting, metaOf, nameOf } from '../object-meta.ts';
import { ageOf, humanDuration } from './age.ts';
import { age, containerImages, containerNames, isTrue, labelsCell, NONE, selectorCell, templateSpec } from './cells.ts';
import { columns } from './columns.ts';
import type { TableView } from './table.ts';

const count = (object: JsonObject, part: 'spec' | 'status', key: string): number =>
  asNumber(asObject(object[part])[key]);
const pods = (object: JsonObject): readonly string[] => {
  const spec = templateSpec(object);
  return [containerNames(spec), containerImages(spec)];
};
const selected = (object: JsonObject): string => selectorCell(asObject(object.spec).selector);

const replicaSets: TableView = {
  columns: columns(
    'Name/name',
    'Desired:integer',
    'Current:integer',
    'Ready:integer',
    'Age',
    'Containers*',
    'Images*',
    'Selector*',
  ),
  row: (set, context) => [
    nameOf(set),
    count(set, 'spec', 'replicas'),
    count(set, 'status', 'replicas'),
    count(set, 'status', 'readyReplicas'),
    age(set, context),
    ...pods(set),
    selected(set),
  ],
};

/** What runs pods, by collection. */
export const workloadViews: Readonly<Record<string, TableView>> = {
  replicationcontrollers: replicaSets,
  'apps/replicasets': replicaSets,
  'apps/deployments': {
    columns: columns('Name/name', 'Ready', 'Up-to-date', 'Available', 'Age', 'Containers*', 'Images*', 'Selector*'),
    row: (deployment, context) => [
      nameOf(deployment),
      `${count(deployment, 'status', 'readyReplicas')}/${count(deployment, 'spec', 'replicas')}`,
      count(deployment, 'status', 'updatedReplicas'),
      count(deployment, 'status', 'availableReplicas'),
      age(deployment, context),
      ...pods(deployment),
      selected(deployment),
    ],
  },
  'apps/statefulsets': {
    columns: columns('Name/name', 'Ready', 'Age', 'Containers*', 'Images*'),
    row: (set, context) => [
      nameOf(set),
      `${count(set, 'status', 'readyReplicas')}/${count(set, 'spec', 'replicas')}`,
      age(set, context),
      ...pods(set),
    ],
  },
  'apps/daemonsets': {
    columns: columns(
      'Name/name',
      'Desired:integer',
      'Current:integer',
      'Ready:integer',
      'Up-to-date:integer',
      'Available:integer',
      'Node Selector',
      'Age',
      'Containers*',
      'Images*',
      'Selector*',
    ),
    row: (set, context) => [
      nameOf(set),
      count(set, 'status', 'desiredNumberScheduled'),
      count(set, 'status', 'currentNumberScheduled'),
      count(set, 'status', 'numberReady'),
      count(set, 'status', 'updatedNumberScheduled'),
      count(set, 'status', 'numberAvailable'),
      labelsCell(templateSpec(set).nodeSelector),
      age(set, context),
      ...pods(set),
      selected(set),
    ],
  },
  'apps/controllerrevisions': {
    columns: columns('Name/name', 'Controller', 'Revision', 'Age'),
    row: (revision, context) => {
      const owner = asObjects(metaOf(revision).ownerReferences).find(({ controller }) => controller === true);
      const group = asString(owner?.apiVersion).split('/')[0] ?? '';
      const kind = asString(owner?.kind).toLowerCase();
      const shown = owner
        ? `${kind}${asString(owner.apiVersion).includes('/') ? `.${group}` : ''}/${asString(owner.name)}`
        : NONE;
      return [nameOf(revision), shown, asNumber(revision.revision), age(revision, context)];
    },
  },
  'batch/jobs': {
    columns: columns('Name/name', 'Status', 'Completions', 'Duration', 'Age', 'Containers*', 'Images*', 'Selector*'),
    row: (job, context) => [
      nameOf(job),
      jobStatus(job),
      completions(job),
      jobDuration(job, context.now),
      age(job, context),
      ...pods(job),
      selected(job),
    ],
  },
  'batch/cronjobs': {
    columns: columns(
      'Name/name',
      'Schedule',
      'Timezone',
      'Suspend:boolean',
      'Active:integer',
      'Last Schedule',
      'Age',
      'Containers*',
      'Images*',
      'Selector*',
    ),
    row: (cronJob, context) => {
      const spec = asObject(cronJob.spec);
      const status = asObject(cronJob.status);
      const job = asObject(spec.jobTemplate);
      return [
        nameOf(cronJob),
        asString(spec.schedule),
        asString(spec.timeZone) || NONE,
        spec.suspend === undefined ? '<unset>' : spec.suspend === true ? 'True' : 'False',
        asArray(status.active).length,
        status.lastScheduleTime ? ageOf(status.lastScheduleTime, context.now) : NONE,
        age(cronJob, context),
        ...pods(job),
        selected(job),
      ];
    },
  },
  podtemplates: {
    columns: columns('Name/name', 'Containers', 'Images', 'Pod Labels'),
    row: (object) => {
      const template = asObject(object.template);
      const spec = asObject(template.spec);
      return [nameOf(object), containerNames(spec), containerImages(spec), labelsCell(metaOf(template).labels)];
    },
  },
};

function jobStatus(job: JsonObject): string {
  if (isTrue(job, 'Complete')) return 'Complete';
  if (isTrue(job, 'Failed')) return 'Failed';
  if (isDeleting(job)) return 'Terminating';
  for (const type of ['Suspended', 'FailureTarget', 'SuccessCriteriaMet']) if (isTrue(job, type)) return type;
  return 'Running';
}

function completions(job: JsonObject): string {
  const { completions: wanted, parallelism } = asObject(job.spec);
  const done = count(job, 'status', 'succeeded');
  if (wanted !== undefined) return `${done}/${asNumber(wanted)}`;
  return asNumber(parallelism) > 1 ? `${done}/1 of ${asNumber(parallelism)}` : `${done}/1`;
}

function jobDuration(job: JsonObject, now: number): string {
  const { startTime, completionTime } = asObject(job.status);
  const start = Date.parse(asString(startTime));
  if (Number.isNaN(start)) return '';
  const end = Date.parse(asString(completionTime));
  return humanDuration((Number.isNaN(end) ? now : end) - start);
}
