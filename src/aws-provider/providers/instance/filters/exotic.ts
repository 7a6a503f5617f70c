import type { InstanceType } from '../../../../scheduling/instance-type.ts';
import {
  LABEL_INSTANCE_SIZE,
  RESOURCE_AMD_GPU,
  RESOURCE_GAUDI,
  RESOURCE_NEURON,
  RESOURCE_NEURON_CORE,
  RESOURCE_NVIDIA_GPU,
} from '../../../apis/labels.ts';
import type { LaunchFilter } from './launch-filter.ts';

const EXOTIC_RESOURCES = [RESOURCE_NEURON, RESOURCE_NEURON_CORE, RESOURCE_AMD_GPU, RESOURCE_NVIDIA_GPU, RESOURCE_GAUDI];

/** Machines without a hypervisor and those with accelerators are taken only when nothing else is left. */
export const exoticFilter: LaunchFilter = {
  name: 'exotic-instance-filter',
  keep: (types, { requirements }) => {
    if (requirements.hasMinValues()) return types;
    const generic = types.filter((type) => !isExotic(type));
    return generic.length > 0 ? generic : types;
  },
};

const EXOTIC = new WeakMap<InstanceType, boolean>();

function isExotic(type: InstanceType): boolean {
  let exotic = EXOTIC.get(type);
  if (exotic === undefined) {
    const { requirements, capacity } = type;
    const sizes = [...requirements.get(LABEL_INSTANCE_SIZE).values];
    exotic =
      sizes.some((size) => size.includes('metal')) || EXOTIC_RESOURCES.some((name) => (capacity[name] ?? 0) !== 0);
    EXOTIC.set(type, exotic);
  }
  return exotic;
}
