import type { NodePool } from '../apis/node-pool.ts';
import type { Client, Resource } from '../kube/client.ts';
import { ApiError } from '../kube/errors.ts';
import type { Condition, KubeObject } from '../kube/objects.ts';
import { CapacityBuffers, NodeOverlays, NodePools } from '../kube/resources.ts';
import type { FeatureGates } from '../operator/options.ts';
import { type Finding, fail, pass, skipped, warn } from './finding.ts';
import { idleFields } from './idle-fields.ts';

export interface PoolsInput {
  readonly client: Pick<Client, 'list'>;
  /** Of the controller. */
  readonly gates: FeatureGates;
  /** Kinds of node classes that this program knows. */
  readonly nodeClasses: readonly Resource[];
}

interface Judged extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

const CHECK = 'NodePools';
const GATED = [
  [NodeOverlays as Resource, 'NodeOverlay'],
  [CapacityBuffers as Resource, 'CapacityBuffer'],
] as const;

/** Pools that can't work, fields of theirs that have no effect, and kinds that nobody looks at. */
export async function poolFindings(input: PoolsInput, signal: AbortSignal): Promise<readonly Finding[]> {
  const { client, gates, nodeClasses } = input;
  const list = (resource: Resource) => listed(client, resource, signal);
  const [pools, classes, ...gated] = await Promise.all([
    list(NodePools as Resource),
    Promise.all(nodeClasses.map(async (resource) => ({ resource, objects: await list(resource) }))),
    ...GATED.map(([resource]) => list(resource)),
  ]);
  if (pools === undefined) return [skipped(CHECK, 'they can’t be listed')];
  const known = classes.flatMap(({ resource, objects }) => (objects ? [{ resource, objects }] : []));
  const ofPools = (pools as readonly NodePool[]).map((pool) => poolFinding(pool, gates, known));
  const troubled = ofPools.filter(({ verdict }) => verdict !== 'pass');
  const unwatched = GATED.flatMap(([{ plural }, gate], i) => {
    const count = gated[i]?.length ?? 0;
    if (count === 0 || gates[gate]) return [];
    const fix = [`--feature-gates ${gate}=true, for the controller and here`];
    return [warn(plural, `${count} without effect unless the controller has the feature gate ${gate}`, { fix })];
  });
  if (pools.length === 0) {
    return [
      warn(CHECK, 'there are none, so no node is made for any pod', { fix: ['kubectl apply -f FILE'] }),
      ...unwatched,
    ];
  }
  const good = pools.length - troubled.length;
  const summary = good > 0 ? [pass(CHECK, `${good} of ${pools.length} as they should be`)] : [];
  return [...summary, ...troubled, ...unwatched];
}

/** Undefined when the kind is not there or may not be read. */
async function listed(
  client: Pick<Client, 'list'>,
  resource: Resource,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | undefined> {
  try {
    return (await client.list(resource, {}, signal)).items;
  } catch (error) {
    if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return undefined;
    throw error;
  }
}

type KnownClasses = readonly { readonly resource: Resource; readonly objects: readonly KubeObject[] }[];

function poolFinding(pool: NodePool, gates: FeatureGates, known: KnownClasses): Finding {
  const check = `NodePool ${pool.metadata.name}`;
  const { group, kind, name } = pool.spec.template.spec.nodeClassRef;
  const idle = idleFields(pool, gates);
  const details = idle.map((field) => `no effect: ${field}`);
  const ofKind = known.find(({ resource }) => resource.group === group && resource.kind === kind);
  if (ofKind && !ofKind.objects.some(({ metadata }) => metadata.name === name)) {
    return fail(check, `its ${kind} "${name}" does not exist`, {
      details,
      fix: [`kubectl get ${ofKind.resource.plural}`],
    });
  }
  const notReady = (pool as Judged).status?.conditions?.find(
    ({ type, status }) => type === 'Ready' && status === 'False',
  );
  if (notReady) {
    const why = [notReady.reason, notReady.message].filter(Boolean).join(': ');
    const fix = [`kubectl karpenter explain nodepool ${pool.metadata.name}`];
    return warn(check, `is not ready${why ? `: ${why}` : ''}`, { details, fix });
  }
  if (idle.length === 0) return pass(check, 'as it should be');
  const [first = ''] = idle;
  return idle.length === 1
    ? warn(check, `has no effect: ${first}`)
    : warn(check, `${idle.length} fields have no effect`, { details: idle });
}
