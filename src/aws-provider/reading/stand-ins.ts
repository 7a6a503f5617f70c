import type { KubeObject } from '../../kube/objects.ts';
import { AWS_GROUP, type EC2NodeClass, Ec2NodeClasses } from '../apis/ec2-node-class.ts';
import type { Zone } from './shipped-facts.ts';

/**
 * The classes of saved objects, with what hand-written files leave out: a class that no controller has looked at gets a
 * subnet in every zone, and one that a pool names but nobody gave is one of AL2023 with nothing set.
 */
export function withStandIns(
  classes: readonly EC2NodeClass[],
  named: readonly string[],
  zones: readonly Zone[],
): { readonly classes: readonly EC2NodeClass[]; readonly standIns: readonly string[] } {
  const subnets = zones.map(({ zone, zoneID = zone }) => ({ id: `subnet-${zone}`, zone, zoneID }));
  const given = new Set(classes.map(({ metadata }) => metadata.name));
  const missing = [...new Set(named)].filter((name) => !given.has(name));
  const untouched = classes.filter(({ status }) => status === undefined);
  return {
    classes: [
      ...classes.map((nodeClass) =>
        nodeClass.status === undefined ? { ...nodeClass, status: { subnets } } : nodeClass,
      ),
      ...missing.map((name): EC2NodeClass => ({ ...plainClass(name), status: { subnets } })),
    ],
    standIns: [...untouched.map(({ metadata }) => metadata.name), ...missing],
  };
}

function plainClass(name: string): KubeObject & Pick<EC2NodeClass, 'spec'> {
  return {
    apiVersion: `${AWS_GROUP}/${Ec2NodeClasses.version}`,
    kind: Ec2NodeClasses.kind,
    metadata: { name },
    spec: { amiFamily: 'AL2023', amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
  };
}
