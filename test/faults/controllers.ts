import type { Client } from '../../src/kube/client.ts';
import type { TestEnvironment } from '../environment.ts';
import type { Faults } from './fault-kinds.ts';
import { FaultyClient } from './faulty-client.ts';
import { Lifeline } from './lifeline.ts';
import type { Observer } from './observer.ts';

/** What a controller process is started with; all that it does has to go through its lifeline. */
export interface ProcessParts {
  readonly identity: string;
  readonly lifeline: Lifeline;
  readonly client: Client;
}

export interface StartedProcess {
  /** When it has ended, or why it stopped by itself. */
  readonly ended: Promise<void>;
  readonly kill: () => Promise<void>;
}

export interface ControllersDeps {
  readonly env: TestEnvironment;
  readonly faults: Faults;
  readonly observer: Observer;
  /** Whether a second controller waits for the first one's lease. */
  readonly standby: boolean;
  readonly startProcess: (parts: ProcessParts) => StartedProcess;
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
    const { env, faults, observer, standby, startProcess } = this.#deps;
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
    const started = startProcess({ identity, lifeline, client });
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
