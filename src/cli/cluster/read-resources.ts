/** What the reading commands know of a cluster, and what is read of a live one. */
import type { Client, Resource } from '../../kube/client.ts';
import { ApiError } from '../../kube/errors.ts';
import type { KubeObject } from '../../kube/objects.ts';
import * as resources from '../../kube/resources.ts';
import { apiVersionOf } from '../../kube/resources.ts';
import { EXIT } from '../exit-codes.ts';
import { NODE_CLASS_KINDS } from '../node-class-kinds.ts';
import { UserError } from '../user-error.ts';

/** Without these there is no answer. */
const NEEDED: readonly Resource[] = [resources.NodePools, resources.NodeClaims, resources.Nodes, resources.Pods];
/** These refine it; an API may lack them or keep them to itself. */
const HELPFUL: readonly Resource[] = [
  resources.NodeOverlays,
  resources.CapacityBuffers,
  resources.Namespaces,
  resources.DaemonSets,
  resources.LimitRanges,
  resources.PodDisruptionBudgets,
  resources.PersistentVolumeClaims,
  resources.PersistentVolumes,
  resources.StorageClasses,
  resources.CSINodes,
  // They say what is sold out, and what a claim was made from.
  ...NODE_CLASS_KINDS,
];

/** What a CapacityBuffer may refer to: read only where there is one. */
const OF_BUFFERS: readonly Resource[] = [
  resources.PodTemplates,
  resources.Deployments,
  resources.StatefulSets,
  resources.ReplicaSets,
];

/** Every resource that has a name in this program: offline input of other kinds is mentioned. */
export const KNOWN_RESOURCES: readonly Resource[] = [
  ...NODE_CLASS_KINDS,
  ...Object.values(resources).filter((value): value is Resource => typeof value === 'object' && 'plural' in value),
];

export interface ReadResult {
  readonly objects: readonly KubeObject[];
  /** Resources that could not be read, each with why. */
  readonly missing: readonly string[];
}

export interface ReadOptions {
  /** Read besides what every command reads. */
  readonly also?: readonly Resource[];
  /** Milliseconds for each answer; 0 is no limit. */
  readonly timeoutMs: number;
}

/** Lists what the commands read, all at once. Throws a UserError when the cluster has no Karpenter. */
export async function readResources(client: Client, options: ReadOptions, signal: AbortSignal): Promise<ReadResult> {
  const missing: string[] = [];
  const list = async (resource: Resource): Promise<readonly KubeObject[]> => {
    const limit = options.timeoutMs > 0 ? AbortSignal.timeout(options.timeoutMs) : undefined;
    try {
      const both = limit ? AbortSignal.any([signal, limit]) : signal;
      return (await client.list(resource, {}, both)).items;
    } catch (error) {
      if (limit?.aborted) throw timedOut(resource, options.timeoutMs);
      throw error;
    }
  };
  const needed = NEEDED.map(async (resource) => {
    try {
      return await list(resource);
    } catch (error) {
      throw resource.group === 'karpenter.sh' && isNotFoundAnswer(error) ? notInstalled(error) : error;
    }
  });
  const { also = [] } = options;
  const tried = async (resource: Resource): Promise<readonly KubeObject[]> => {
    try {
      return await list(resource);
    } catch (error) {
      if (!(error instanceof ApiError) || (error.code !== 403 && error.code !== 404)) throw error;
      if (error.code === 403) missing.push(`${resource.plural}: ${error.message}`);
      return [];
    }
  };
  const objects = (await Promise.all([...needed, ...[...HELPFUL, ...also].map(tried)])).flat();
  if (!objects.some(({ kind }) => kind === resources.CapacityBuffers.kind)) return { objects, missing };
  const more = await Promise.all(OF_BUFFERS.filter((resource) => !also.includes(resource)).map(tried));
  return { objects: [...objects, ...more.flat()], missing };
}

function isNotFoundAnswer(error: unknown): boolean {
  return error instanceof ApiError && error.code === 404;
}

function notInstalled(cause: unknown): UserError {
  return new UserError('this cluster has no Karpenter', {
    code: 'KE1203',
    because: [`its API has no ${apiVersionOf(resources.NodePools)} ${resources.NodePools.plural}`],
    hints: ['kubectl karpenter up --local, to start a cluster that has', '--context NAME, to ask another cluster'],
    cause,
  });
}

function timedOut(resource: Resource, ms: number): UserError {
  return new UserError(`no answer within ${ms / 1000}s`, {
    code: 'KE1501',
    because: [`listing ${resource.plural}`],
    hints: ['--request-timeout 0, to wait for as long as it takes'],
    exitCode: EXIT.timeout,
  });
}
