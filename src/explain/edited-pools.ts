import { NODE_POOL_DEFINITION } from '../apis/crds/node-pool.ts';
import type { NodePool } from '../apis/node-pool.ts';
import { applySchemaDefaults } from '../apiserver/crd/default-values.ts';
import { compileStructural } from '../apiserver/crd/structural.ts';
import type { JsonObject } from '../apiserver/kind.ts';
import type { KubeObject } from '../kube/objects.ts';

/** A pool as the API would store it: what its definition gives for fields that are left out. */
export function completedPool(nodePool: NodePool): NodePool {
  const schema = NODE_POOL_DEFINITION.spec.versions[0]?.schema?.openAPIV3Schema;
  if (!schema) return nodePool;
  const object = nodePool as unknown as JsonObject;
  return applySchemaDefaults(object, compileStructural(schema)) as unknown as NodePool;
}

/**
 * The objects after the pools have been applied: those that exist keep their identity and status. A pool that the
 * controller would refuse is not ready.
 */
export function withPools(
  objects: readonly KubeObject[],
  edited: readonly NodePool[],
  isValid: (nodePool: NodePool) => boolean,
): readonly KubeObject[] {
  const byName = new Map(edited.map((pool) => [pool.metadata.name, pool]));
  const known = new Set<string>();
  const applied = objects.map((object) => {
    const edit = object.kind === 'NodePool' ? byName.get(object.metadata.name) : undefined;
    if (!edit) return object;
    known.add(edit.metadata.name);
    const { labels, annotations } = edit.metadata;
    const metadata = { ...object.metadata, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
    return checked({ ...(object as NodePool), metadata, spec: edit.spec }, isValid);
  });
  const added = edited.filter(({ metadata }) => !known.has(metadata.name));
  return [...applied, ...added.map((pool) => checked(pool, isValid))];
}

function checked(nodePool: NodePool, isValid: (nodePool: NodePool) => boolean): NodePool {
  if (isValid(nodePool)) return nodePool;
  return { ...nodePool, status: { ...nodePool.status, conditions: [{ type: 'Ready', status: 'False' }] } };
}
