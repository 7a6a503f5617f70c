import { KwokNodeClasses } from '../../kwok-provider/apis/kwok-node-class.ts';
import type { Clock } from '../../src/kube/clock.ts';
import { NodeClaims, Nodes, Pods } from '../../src/kube/resources.ts';
import { type Logger, SILENT } from '../../src/logging/logger.ts';
import { TestEnvironment } from '../environment.ts';
import { patched } from '../expectations/index.ts';
import { SeededChoices } from '../parity/random.ts';
import { Controllers } from './controllers.ts';
import { type FaultKind, Faults } from './fault-kinds.ts';
import { Observer } from './observer.ts';
import { Scenario } from './scenario.ts';
import { unsettled } from './unsettled.ts';

export interface RunOutcome {
  readonly seed: number;
  readonly kills: number;
  readonly launches: number;
  readonly evictions: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  /** What must never happen, but did. */
  readonly violations: readonly string[];
}

const MINUTE = 60_000;
const TROUBLED_MINUTES = 25;
/** When all is well again, everything has to be in its place after so long, and to stay there for so long. */
const SETTLE_MS = 60 * MINUTE;
const STEADY_MS = 10 * MINUTE;
const LOOK_MS = 15_000;

/**
 * One cluster in trouble, as the seed has it: people change it, requests fail, controllers are killed; then all that ends,
 * and it has to come to rest.
 *
 * @param tell hears what the controllers log.
 */
export async function runSeed(seed: number, tell?: (line: string) => void): Promise<RunOutcome> {
  const choices = new SeededChoices(seed);
  const env = await TestEnvironment.open(seed);
  const stop = new AbortController();
  const observer = new Observer({ client: env.client, clock: env.clock });
  const faults = new Faults(choices, choices.pick([0, 0.01, 0.03, 0.1]));
  const outlives = choices.chance(0.5);
  const controllers = new Controllers({
    env,
    faults,
    observer,
    log: tell ? (identity) => logger(env.clock, identity, tell) : () => SILENT,
    standby: choices.chance(0.4),
    ...(outlives ? { cloud: env.kwok(env.api.client('cloud')) } : {}),
  });
  controllers.deadlyLaunches = choices.pick([0, 0.05, 0.15]);
  const nodeRegistrationDelay = choices.pick(['0s', '3s', '40s']);
  await patched(env, KwokNodeClasses, 'default', { spec: { nodeRegistrationDelay } });
  env.startCluster({
    controlPlane: { nodes: { monitorGrace: Number.POSITIVE_INFINITY, startupGrace: Number.POSITIVE_INFINITY } },
    kubelets: { leaseRenewMs: 0 },
  });
  observer.start(stop.signal);
  const scenario = new Scenario(env, choices);
  await scenario.begin();
  controllers.start();
  await trouble();
  const problems = await settle();
  controllers.close();
  stop.abort();
  await env.close();
  const { launches, evictions, violations } = observer;
  const { kills } = controllers;
  return { seed, kills, launches, evictions, faults: faults.counts, violations: [...violations, ...problems] };

  async function trouble(): Promise<void> {
    const end = env.clock.now() + TROUBLED_MINUTES * MINUTE;
    const usual = faults.rate;
    while (env.clock.now() < end) {
      await env.clock.advance(choices.integer(1, 60_000));
      if (choices.chance(0.8)) await scenario.act();
      if (choices.chance(0.2)) controllers.kill(choices.chance(0.6) ? choices.integer(1, 12) : undefined);
      if (choices.chance(0.05)) controllers.stopOne();
      // Now and then everything goes wrong for a while.
      faults.rate = usual > 0 && choices.chance(0.1) ? 0.6 : usual;
    }
    faults.rate = 0;
    controllers.deadlyLaunches = 0;
    await scenario.end();
  }

  /** What is still not as it should be. */
  async function settle(): Promise<readonly string[]> {
    const end = env.clock.now() + SETTLE_MS;
    let steadySince = env.clock.now();
    let before = '';
    while (env.clock.now() < end) {
      await env.clock.advance(LOOK_MS);
      const now = await shape(env);
      if (now !== before) steadySince = env.clock.now();
      before = now;
      if (env.clock.now() - steadySince < STEADY_MS) continue;
      const left = await unsettled(env);
      if (left.length === 0) return [];
    }
    return [...(await unsettled(env)), ...(env.clock.now() - steadySince < STEADY_MS ? ['never comes to rest'] : [])];
  }
}

/** Which objects there are; changes whenever something moves. */
async function shape({ client }: TestEnvironment): Promise<string> {
  const lists = await Promise.all([client.list(NodeClaims), client.list(Nodes), client.list(Pods)]);
  return lists.flatMap(({ items }) => items.map((object) => object.metadata.uid)).join();
}

function logger(clock: Clock, identity: string, tell: (line: string) => void): Logger {
  const line = (message: string, fields: object | undefined, error?: unknown): void =>
    tell(
      [new Date(clock.now()).toISOString().slice(11, 23), identity, message, ...(error ? [String(error)] : [])].join(
        ' ',
      ) + (fields ? ` ${JSON.stringify(fields)}` : ''),
    );
  return {
    debug: (message, fields) => line(message, fields),
    info: (message, fields) => line(message, fields),
    error: (message, error, fields) => line(message, fields, error),
  };
}
