import type { CloudProvider } from '../../src/cloudprovider/types.ts';
import type { Logger } from '../../src/logging/logger.ts';
import { DEFAULT_FEATURE_GATES } from '../../src/operator/options.ts';
import type { TestEnvironment } from '../environment.ts';
import type { Faults } from './fault-kinds.ts';
import { FaultyClient } from './faulty-client.ts';
import { faultyCloud } from './faulty-cloud.ts';
import { Lifeline } from './lifeline.ts';
import type { Observer } from './observer.ts';

export interface ControllersDeps {
  readonly env: TestEnvironment;
  readonly faults: Faults;
  readonly observer: Observer;
  /** Whether a second controller waits for the first one's lease. */
  readonly standby: boolean;
  /** A cloud that outlives controllers; absent when it is part of each. */
  readonly cloud?: CloudProvider;
  readonly log: (identity: string) => Logger;
}

interface Running {
  readonly lifeline: Lifeline;
  readonly stop: () => void;
}

const RESTART_MS = 2000;

/** The controller processes of a cluster: whichever ends is started again. */
export class Controllers {
  readonly #deps: ControllersDeps;
  readonly #running = new Set<Running>();
  deadlyLaunches = 0;
  kills = 0;
  #started = 0;
  #over = false;

  constructor(deps: ControllersDeps) {
    this.#deps = deps;
  }

  start(): void {
    for (let i = 0; i < (this.#deps.standby ? 2 : 1); i++) this.#start();
  }

  /** Kills one of the processes, now or after so many more of its writes. */
  kill(writes?: number): void {
    if (this.#running.size === 0) return;
    const victim = this.#deps.faults.choices.pick([...this.#running]);
    if (writes === undefined) victim.lifeline.end();
    else victim.lifeline.endAfterWrites(writes);
  }

  /** Stops one of the processes in good order. */
  stopOne(): void {
    const [first] = this.#running;
    first?.stop();
  }

  /** From now on nobody is started again. */
  close(): void {
    this.#over = true;
    for (const { lifeline } of this.#running) lifeline.end();
  }

  #start(): void {
    const { env, faults, observer, standby, log } = this.#deps;
    const identity = `controller-${++this.#started}`;
    let kill = async (): Promise<void> => {};
    const lifeline = new Lifeline(() => {
      this.#running.delete(running);
      this.kills++;
      // It never answers, so nobody waits for it.
      kill().catch(() => undefined);
      this.#startLater();
    });
    const api = observer.clientOf(standby ? identity : '', env.api.client('karpenter'));
    const client = new FaultyClient({ client: api, clock: env.clock, faults, lifeline });
    const base = this.#deps.cloud ?? env.kwok(client);
    const cloud = faultyCloud({
      cloud: base,
      faults,
      lifeline,
      observer,
      isDeadly: () => faults.choices.chance(this.deadlyLaunches),
    });
    const started = env.startOperator(
      { disableLeaderElection: !standby, featureGates: { ...DEFAULT_FEATURE_GATES, StaticCapacity: true } },
      { client, cloud, identity, log: log(identity) },
    );
    kill = started.kill;
    const running: Running = {
      lifeline,
      stop: () => {
        this.#running.delete(running);
        // A standby that is stopped rejects.
        void started
          .kill()
          .catch(() => undefined)
          .then(() => this.#startLater());
      },
    };
    this.#running.add(running);
    started.ended.catch(() => {
      // It has lost its lease, which ends a process.
      if (this.#running.delete(running)) this.#startLater();
    });
  }

  #startLater(): void {
    this.#deps.env.clock.setTimeout(() => {
      if (!this.#over) this.#start();
    }, RESTART_MS);
  }
}
