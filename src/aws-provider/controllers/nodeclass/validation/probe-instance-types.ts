import { LABEL_ARCH, LABEL_OS } from '../../../../apis/labels.ts';
import type { NodePool } from '../../../../apis/node-pool.ts';
import type { InstanceType } from '../../../../scheduling/instance-type.ts';
import { Requirements } from '../../../../scheduling/requirements.ts';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../../../apis/ec2-node-class-facts.ts';
import { LABEL_INSTANCE_TENANCY, LABEL_WINDOWS_BUILD } from '../../../apis/labels.ts';
import { mapToInstanceTypes } from '../../../providers/ami-family/map-to-instance-types.ts';
import { STANDARD } from '../../../providers/ami-family/variants.ts';

/** Types for classes of which no pool says what it launches. */
const USUAL: Readonly<Record<string, string>> = { 'm5.large': 'amd64', 'm6g.large': 'arm64' };

/**
 * The types that launches are tried with (aws-provider.md section 7): those that the class's pools may ask for, with an
 * image for machines without accelerators if possible, since images for accelerators need larger volumes than the class
 * may have.
 *
 * @param instanceTypes those that the class's settings leave possible.
 */
export function probeInstanceTypes(
  instanceTypes: readonly InstanceType[],
  nodeClass: EC2NodeClass,
  nodePools: readonly NodePool[],
): readonly InstanceType[] {
  const ofPools = typesOfPools(instanceTypes, nodePools);
  // More types look fit for Windows than are.
  const isWindows = amiFamilyOf(nodeClass).startsWith('Windows');
  const candidates = ofPools.length === 0 || isWindows ? usualTypes(instanceTypes) : ofPools;
  return withImage(candidates, nodeClass);
}

/** Dedicated as soon as one of the pools may ask for it. */
export function probeTenancy(nodePools: readonly NodePool[]): 'dedicated' | 'default' {
  const isDedicated = nodePools.some(({ spec }) => {
    const requirement = Requirements.fromItems(spec.template.spec.requirements).find(LABEL_INSTANCE_TENANCY);
    return requirement?.has('dedicated') ?? false;
  });
  return isDedicated ? 'dedicated' : 'default';
}

function typesOfPools(instanceTypes: readonly InstanceType[], nodePools: readonly NodePool[]): InstanceType[] {
  const wishes = nodePools.map(({ spec: { template } }) => {
    const requirements = Requirements.fromItems(template.spec.requirements);
    requirements.addAll(Requirements.fromLabels(template.metadata?.labels));
    return requirements;
  });
  const types = wishes.flatMap((wish) => instanceTypes.filter((type) => type.requirements.intersects(wish)));
  return [...new Set(types)];
}

/** The usual ones, fit for every operating system; all when none of them is there. */
function usualTypes(instanceTypes: readonly InstanceType[]): readonly InstanceType[] {
  const usual = Object.entries(USUAL).flatMap(([name, architecture]) => {
    const type = instanceTypes.find((candidate) => candidate.name === name);
    if (!type) return [];
    const requirements = Requirements.fromItems([
      ...STANDARD,
      { key: LABEL_ARCH, operator: 'In', values: [architecture] },
      { key: LABEL_OS, operator: 'Exists' },
      { key: LABEL_WINDOWS_BUILD, operator: 'Exists' },
    ]);
    return { ...type, requirements };
  });
  return usual.length > 0 ? usual : instanceTypes;
}

function withImage(instanceTypes: readonly InstanceType[], { status }: EC2NodeClass): readonly InstanceType[] {
  const amis = status?.amis ?? [];
  const byImage = mapToInstanceTypes(instanceTypes, amis);
  const standard = Requirements.fromItems(STANDARD);
  const fit = amis
    .filter(({ requirements }) => Requirements.fromItems(requirements).compatible(standard))
    .flatMap(({ id }) => byImage.get(id) ?? []);
  return fit.length > 0 ? fit : [...byImage.values()].flat();
}
