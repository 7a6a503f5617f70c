import type { Client } from '../kube/client.ts';
import { ApiError, isNotFound } from '../kube/errors.ts';
import type { KubeObject, Lease } from '../kube/objects.ts';
import { Deployments, Leases } from '../kube/resources.ts';
import { type Finding, pass, skipped, warn } from './finding.ts';

export interface OtherControllersInput {
  readonly client: Pick<Client, 'get' | 'list'>;
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
  const [everywhere, deployments] = await Promise.all([
    orForbidden(async () => (await client.list(Leases, { fieldSelector }, signal)).items),
    orForbidden(async () => (await client.list(Deployments, { labelSelector: LABEL }, signal)).items),
  ]);
  const details = (deployments ?? []).map(deploymentText);
  // A controller's own account may look at its own lease only.
  const leases = everywhere ?? (lease && (await orForbidden(() => ownLease(client, lease, signal))));
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

async function ownLease(
  client: Pick<Client, 'get'>,
  lease: { readonly name: string; readonly namespace: string },
  signal: AbortSignal,
): Promise<readonly Lease[]> {
  try {
    return [await client.get(Leases, lease, signal)];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

async function orForbidden<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
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
