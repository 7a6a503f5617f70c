import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { amiFamilyOf, zoneInfoOf } from '../../apis/ec2-node-class-facts.ts';

/** Of a class: what its instance types follow from. Classes with equal keys have the same types. */
export interface ClassKey {
  readonly types: string;
  /** Its AMIs: nodes of one type may see another memory with each. */
  readonly amis: string;
}

const KEYS = new WeakMap<EC2NodeClass, ClassKey>();

/** Worked out once for each state of the class: objects of the cluster are never changed. */
export function classKey(nodeClass: EC2NodeClass): ClassKey {
  let key = KEYS.get(nodeClass);
  if (!key) {
    key = compute(nodeClass);
    KEYS.set(nodeClass, key);
  }
  return key;
}

function compute(nodeClass: EC2NodeClass): ClassKey {
  const { spec, status } = nodeClass;
  const amis = asSet(status?.amis ?? []);
  const types = JSON.stringify([
    amis,
    asSet(zoneInfoOf(nodeClass).map(({ zone, zoneID }) => [zone, zoneID])),
    amiFamilyOf(nodeClass),
    spec.kubelet,
    spec.blockDeviceMappings,
    spec.instanceStorePolicy,
    spec.networkInterfaces,
    (status?.capacityReservations ?? []).map((r) => [r.instanceType, r.id, r.reservationType, r.interruptible]),
  ]);
  return { types, amis: amis.join() };
}

function asSet(items: readonly unknown[]): readonly string[] {
  return items.map((item) => JSON.stringify(item)).sort();
}
