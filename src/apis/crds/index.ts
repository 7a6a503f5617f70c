import { CAPACITY_BUFFER_DEFINITION } from './capacity-buffer.ts';
import type { CustomResourceDefinition } from './definition.ts';
import { NODE_CLAIM_DEFINITION } from './node-claim.ts';
import { NODE_OVERLAY_DEFINITION } from './node-overlay.ts';
import { NODE_POOL_DEFINITION } from './node-pool.ts';

export type { CustomResourceDefinition } from './definition.ts';

/** The definitions that the controller needs whatever the cloud; a provider adds those of its node classes. */
export const CORE_DEFINITIONS: readonly CustomResourceDefinition[] = [
  NODE_POOL_DEFINITION,
  NODE_CLAIM_DEFINITION,
  NODE_OVERLAY_DEFINITION,
  CAPACITY_BUFFER_DEFINITION,
];
