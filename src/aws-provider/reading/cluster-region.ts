import { LABEL_REGION, LABEL_ZONE } from '../../apis/labels.ts';
import type { KubeObject } from '../../kube/objects.ts';
import type { EC2NodeClass } from '../apis/ec2-node-class.ts';
import { zoneInfoOf } from '../apis/ec2-node-class-facts.ts';
import { LABEL_ZONE_ID } from '../apis/labels.ts';
import type { Zone } from './shipped-facts.ts';

/** `us-west-2` of `us-west-2a`, and of the local zone `us-west-2-lax-1a`. */
const REGION = /^[a-z]{2,4}(?:-[a-z]+)+?-\d+/;

const labelsOf = (objects: readonly KubeObject[], label: string): readonly string[] =>
  objects.flatMap(({ metadata }) => metadata.labels?.[label] ?? []);

/** The region that most of the nodes are in; without nodes, that of the subnets. Undefined when nothing tells. */
export function clusterRegion(nodes: readonly KubeObject[], classes: readonly EC2NodeClass[]): string | undefined {
  return (
    mostFrequent(labelsOf(nodes, LABEL_REGION)) ??
    mostFrequent([
      ...labelsOf(nodes, LABEL_ZONE).flatMap(regionOf),
      ...classes.flatMap(({ status }) => (status?.subnets ?? []).flatMap(({ zone }) => regionOf(zone))),
    ])
  );
}

/** Every zone that a class has a subnet in or a node is in. */
export function clusterZones(nodes: readonly KubeObject[], classes: readonly EC2NodeClass[]): readonly Zone[] {
  const zones = new Map<string, Zone>();
  for (const { metadata } of nodes) {
    const zone = metadata.labels?.[LABEL_ZONE];
    const zoneID = metadata.labels?.[LABEL_ZONE_ID];
    if (zone) zones.set(zone, { zone, ...(zoneID ? { zoneID } : {}) });
  }
  for (const { zone, zoneID } of classes.flatMap(zoneInfoOf)) zones.set(zone, { zone, ...(zoneID ? { zoneID } : {}) });
  return [...zones.values()];
}

const regionOf = (zone: string): readonly string[] => REGION.exec(zone) ?? [];

function mostFrequent(values: readonly string[]): string | undefined {
  const groups = [...Map.groupBy(values, (value) => value)];
  return groups.sort(([a, as], [b, bs]) => bs.length - as.length || (a < b ? -1 : 1))[0]?.[0];
}
