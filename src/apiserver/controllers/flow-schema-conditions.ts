import type { Clock } from '../../kube/clock.ts';
import { asObject, asObjects, asString, timestamp } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import type { Store } from '../store/store.ts';

const SCHEMAS = 'flowcontrol.apiserver.k8s.io/flowschemas';
const LEVELS = 'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations';

/** Says in each FlowSchema whether the priority level that it names exists (apiserver util/flowcontrol). */
export class FlowSchemaConditions {
  readonly #store: Store;
  readonly #clock: Clock;

  constructor({ store, clock }: { readonly store: Store; readonly clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Keeps conditions true from now on; returns how to stop. */
  start(): () => void {
    const check = (): void => {
      for (const [name, schema] of this.#store.list(SCHEMAS)) this.#check(name, schema);
    };
    const stops = [SCHEMAS, LEVELS].map((collection) => this.#store.subscribe(collection, this.#store.revision, check));
    check();
    return () => {
      for (const stop of stops) stop();
    };
  }

  #check(name: string, schema: JsonObject): void {
    const level = asString(asObject(asObject(schema.spec).priorityLevelConfiguration).name);
    const exists = this.#store.get(LEVELS, level) !== undefined;
    const about = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;
    const wanted = exists
      ? { status: 'False', reason: 'Found', message: `${about} and it exists` }
      : { status: 'True', reason: 'NotFound', message: `${about} but there is no such object` };
    const conditions = asObjects(asObject(schema.status).conditions);
    const before = conditions.find(({ type }) => type === 'Dangling');
    if (before?.status === wanted.status && before.message === wanted.message) return;
    const { status, ...why } = wanted;
    const condition = { type: 'Dangling', status, lastTransitionTime: timestamp(this.#clock.now()), ...why };
    const others = conditions.filter(({ type }) => type !== 'Dangling');
    const next = { ...schema, status: { ...asObject(schema.status), conditions: [...others, condition] } };
    this.#store.put(SCHEMAS, name, next);
  }
}
