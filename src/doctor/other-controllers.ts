import type { Client } from '../kube/client.ts';
import { ApiError } from '../kube/errors.ts';
import type { KubeObject, Lease } from '../kube/objects.ts';
import { Deployments, Leases } from '../kube/resources.ts';
import { type Finding, pass, skipped, warn } from './finding.ts';

export interface OtherControllersInput {
  readonly client: Pick<Client, 'list'>;
  /** The lease that a controller with these options would take; undefined when it would take none. */
  readonly lease: { readonly name: string; readonly namespace: string } | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

interface WithContainers extends KubeObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: { readonly spec?: { readonly containers?: readonly { readonly image?: string }[] } };
  };
}

/** What upstream's chart names the lease and labels its Deployment with. */
const LEASE = 'karpenter-leader-election';
const LABEL = 'app.kubernetes.io/name=karpenter';
const CHECK = 'other controllers';

/** Whether another Karpenter works in this cluster, and whether one started here would wait for it. */
export async function otherControllersFindings(
  { client, lease, now }: OtherControllersInput,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const fieldSelector = `metadata.name=${lease?.name ?? LEASE}`;
  const [leases, deployments] = await Promise.all([
    orForbidden(client.list(Leases, { fieldSelector }, signal)),
    orForbidden(client.list(Deployments, { labelSelector: LABEL }, signal)),
  ]);
  const details = (deployments ?? []).map(deploymentText);
  if (!leases) {
    return [skipped(CHECK, 'you may not list leases, which tell whether another Karpenter works here', { details })];
  }
  const alive = leases.filter((each) => isHeld(each, now));
  const elsewhere = alive.filter(({ metadata }) => metadata.namespace !== lease?.namespace);
  if (elsewhere.length > 0) {
    return elsewhere.map((each) => {
      const { namespace = '' } = each.metadata;
      const message = `${holderText(each, now)}: it and a controller started here would both make and remove nodes`;
      const same = `--leader-election-namespace ${namespace}, and no --disable-leader-election: then one of them works`;
      return warn(CHECK, message, { details, fix: ['stop the other one first', same] });
    });
  }
  const [own] = alive;
  if (own) return [pass(CHECK, `${holderText(own, now)}; a controller started here waits for its turn`, { details })];
  if (lease === undefined) return [pass(CHECK, 'no Karpenter holds a lease', { details })];
  return [pass(CHECK, `nobody holds the lease ${lease.namespace}/${lease.name}`, { details })];
}

async function orForbidden<T>(list: Promise<{ readonly items: readonly T[] }>): Promise<readonly T[] | undefined> {
  try {
    return (await list).items;
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  }
}

/** Clocks of two machines may differ a little: what was just let go of counts as held for as long as it may last. */
function isHeld({ spec }: Lease, now: number): boolean {
  const renewed = Date.parse(spec?.renewTime ?? '');
  return Boolean(spec?.holderIdentity) && now - renewed < (spec?.leaseDurationSeconds ?? 0) * 1000;
}

function holderText({ metadata, spec }: Lease, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(spec?.renewTime ?? '')) / 1000));
  return `"${spec?.holderIdentity}" holds the lease ${metadata.namespace}/${metadata.name}, renewed ${seconds}s ago`;
}

function deploymentText(deployment: KubeObject): string {
  const { metadata, spec } = deployment as WithContainers;
  const [image = 'no image'] = (spec?.template?.spec?.containers ?? []).flatMap((container) => container.image ?? []);
  return `Deployment ${metadata.namespace}/${metadata.name}: ${image}, ${spec?.replicas ?? 1} replicas`;
}
