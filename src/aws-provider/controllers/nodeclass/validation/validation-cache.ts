import type { Clock } from '../../../../kube/clock.ts';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import {
  ANNOTATION_NODE_CLASS_HASH,
  ANNOTATION_NODE_CLASS_HASH_VERSION,
  ANNOTATION_SOLD_OUT,
} from '../../../apis/labels.ts';
import { TtlCache } from '../../../cache/ttl-cache.ts';

/** How a validation ended that AWS was asked for. */
export type Outcome =
  | { readonly valid: true }
  | { readonly valid: false; readonly reason: string; readonly message: string };

const MINUTE_MS = 60_000;
const KEPT_MS = 30 * MINUTE_MS;
/** No class has it in its name. */
const SEPARATOR = ':';

/** Outcomes of validations, for all that may change them: so AWS is asked twice an hour only (aws-provider.md section 7). */
export class ValidationCache {
  readonly #outcomes: TtlCache<Outcome>;

  constructor(clock: Clock) {
    this.#outcomes = new TtlCache(clock, { ttlMs: KEPT_MS, sweepMs: MINUTE_MS });
  }

  get(nodeClass: EC2NodeClass): Outcome | undefined {
    return this.#outcomes.get(keyOf(nodeClass));
  }

  set(nodeClass: EC2NodeClass, outcome: Outcome): void {
    this.#outcomes.set(keyOf(nodeClass), outcome);
  }

  /** Drops all that is known of the class of this name. */
  forget(name: string): void {
    for (const [key] of [...this.#outcomes.entries()]) {
      if (key.startsWith(`${name}${SEPARATOR}`)) this.#outcomes.delete(key);
    }
  }
}

/** Another annotation is enough to have AWS asked again, but for those that we write: they say nothing new. */
function keyOf({ metadata, spec, status }: EC2NodeClass): string {
  const { conditions: _, capacityReservations: __, ...found } = status ?? {};
  const {
    [ANNOTATION_NODE_CLASS_HASH]: ___,
    [ANNOTATION_NODE_CLASS_HASH_VERSION]: ____,
    [ANNOTATION_SOLD_OUT]: _____,
    ...annotations
  } = metadata.annotations ?? {};
  return `${metadata.name}${SEPARATOR}${canonical({ found, spec, annotations })}`;
}

/** Text that is the same for all orders of lists and of fields. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
    .sort()
    .join(',')}}`;
}
