import type { ValidationRule } from '../../../apis/crds/json-schema.ts';
import { AWS_GROUP } from '../ec2-node-class.ts';
import * as Labels from '../labels.ts';
import { rule } from './schema-words.ts';

/** Labels of instance types, which overlays know too. */
const TYPE_LABELS: readonly string[] = [
  Labels.LABEL_NODE_CLASS,
  Labels.LABEL_INSTANCE_ENCRYPTION_IN_TRANSIT,
  Labels.LABEL_INSTANCE_CATEGORY,
  Labels.LABEL_INSTANCE_HYPERVISOR,
  Labels.LABEL_INSTANCE_FAMILY,
  Labels.LABEL_INSTANCE_GENERATION,
  Labels.LABEL_INSTANCE_LOCAL_NVME,
  Labels.LABEL_INSTANCE_SIZE,
  Labels.LABEL_INSTANCE_CPU,
  Labels.LABEL_INSTANCE_CPU_MANUFACTURER,
  Labels.LABEL_INSTANCE_CPU_CLOCK_SPEED,
  Labels.LABEL_INSTANCE_MEMORY,
  Labels.LABEL_INSTANCE_EBS_BANDWIDTH,
  Labels.LABEL_INSTANCE_NETWORK_BANDWIDTH,
  Labels.LABEL_INSTANCE_GPU_NAME,
  Labels.LABEL_INSTANCE_GPU_MANUFACTURER,
  Labels.LABEL_INSTANCE_GPU_COUNT,
  Labels.LABEL_INSTANCE_GPU_MEMORY,
  Labels.LABEL_INSTANCE_ACCELERATOR_NAME,
  Labels.LABEL_INSTANCE_ACCELERATOR_MANUFACTURER,
  Labels.LABEL_INSTANCE_ACCELERATOR_COUNT,
  Labels.LABEL_INSTANCE_CAPABILITY_FLEX,
];

const RESERVATION_LABELS: readonly string[] = [
  Labels.LABEL_INSTANCE_TENANCY,
  Labels.LABEL_CAPACITY_RESERVATION_TYPE,
  Labels.LABEL_CAPACITY_RESERVATION_ID,
  Labels.LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
];

const PLACEMENT_LABELS: readonly string[] = [Labels.LABEL_PLACEMENT_GROUP_ID, Labels.LABEL_PLACEMENT_GROUP_PARTITION];

const MESSAGE = `label domain "${AWS_GROUP}" is restricted`;

const known = (variable: string, labels: readonly string[]): string =>
  `${variable} in [${labels.map((label) => `"${label}"`).join(', ')}] || !${variable}.find("^([^/]+)").endsWith("${AWS_GROUP}")`;

/** For the key of one requirement of a pool or claim. */
export const labelKeyRule: ValidationRule = rule(
  MESSAGE,
  known('self', [...RESERVATION_LABELS, ...TYPE_LABELS, ...PLACEMENT_LABELS]),
);

/** For the labels of a pool's template. Upstream's rule names one label twice, and rules are compared as text. */
export const labelKeysRule: ValidationRule = rule(
  MESSAGE,
  `self.all(x, ${known('x', [
    ...RESERVATION_LABELS,
    Labels.LABEL_CAPACITY_RESERVATION_INTERRUPTIBLE,
    ...TYPE_LABELS,
    ...PLACEMENT_LABELS,
  ])})`,
);

/** For the key of one requirement of an overlay. */
export const overlayKeyRule: ValidationRule = rule(MESSAGE, known('self', TYPE_LABELS));
