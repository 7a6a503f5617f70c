import { WELL_KNOWN_LABELS } from '../../apis/labels.ts';
import * as labels from './labels.ts';

/** What the EC2 provider adds to core's well-known labels (aws-provider.md section 21). */
export const AWS_WELL_KNOWN_LABELS: ReadonlySet<string> = new Set([
  labels.LABEL_CAPACITY_RESERVATION_ID,
  labels.LABEL_CAPACITY_RESERVATION_TYPE,
  labels.LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
  labels.LABEL_INSTANCE_HYPERVISOR,
  labels.LABEL_INSTANCE_ENCRYPTION_IN_TRANSIT,
  labels.LABEL_INSTANCE_CATEGORY,
  labels.LABEL_INSTANCE_CAPABILITY_FLEX,
  labels.LABEL_INSTANCE_FAMILY,
  labels.LABEL_INSTANCE_GENERATION,
  labels.LABEL_INSTANCE_SIZE,
  labels.LABEL_INSTANCE_LOCAL_NVME,
  labels.LABEL_INSTANCE_CPU,
  labels.LABEL_INSTANCE_CPU_MANUFACTURER,
  labels.LABEL_INSTANCE_CPU_CLOCK_SPEED,
  labels.LABEL_INSTANCE_MEMORY,
  labels.LABEL_INSTANCE_EBS_BANDWIDTH,
  labels.LABEL_INSTANCE_NETWORK_BANDWIDTH,
  labels.LABEL_INSTANCE_GPU_NAME,
  labels.LABEL_INSTANCE_GPU_MANUFACTURER,
  labels.LABEL_INSTANCE_GPU_COUNT,
  labels.LABEL_INSTANCE_GPU_MEMORY,
  labels.LABEL_INSTANCE_ACCELERATOR_NAME,
  labels.LABEL_INSTANCE_ACCELERATOR_MANUFACTURER,
  labels.LABEL_INSTANCE_ACCELERATOR_COUNT,
  labels.LABEL_INSTANCE_TENANCY,
  labels.LABEL_PLACEMENT_GROUP_ID,
  labels.LABEL_PLACEMENT_GROUP_PARTITION,
  labels.LABEL_NITRO_SANDBOX,
  labels.LABEL_ZONE_ID,
  labels.LABEL_WINDOWS_BUILD,
]);

/** All keys that a requirement may name though a type or an offering does not define them. */
export const ALL_WELL_KNOWN_LABELS: ReadonlySet<string> = WELL_KNOWN_LABELS.union(AWS_WELL_KNOWN_LABELS);

/** Resources that EC2's types bring by themselves: no overlay may set them. */
export const AWS_WELL_KNOWN_RESOURCES: ReadonlySet<string> = new Set([
  labels.RESOURCE_POD_ENI,
  labels.RESOURCE_NEURON,
  labels.RESOURCE_NEURON_CORE,
  labels.RESOURCE_GAUDI,
  labels.RESOURCE_EFA,
]);
