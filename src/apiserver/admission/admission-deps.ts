import type { Clock, Random } from '../../kube/clock.ts';
import type { CelLoader } from '../crd/cel/cel-engine.ts';
import type { Catalog } from '../registry/catalog.ts';
import type { KindSource } from '../registry/registry-deps.ts';
import type { Store } from '../store/store.ts';
import type { Decide } from './cel/authorizer-values.ts';

/** What admission by policies and webhooks works with. */
export interface AdmissionDeps {
  readonly store: Store;
  readonly catalog: Pick<Catalog, 'all' | 'versionsOf'>;
  readonly kinds: KindSource;
  readonly cel: CelLoader;
  /** Answers what the `authorizer` of expressions asks. */
  readonly decide: Decide;
  readonly random: Random;
  readonly clock: Clock;
}
