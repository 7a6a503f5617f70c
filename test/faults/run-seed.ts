import { KwokNodeClasses } from '../../kwok-provider/apis/kwok-node-class.ts';
import { NodeClaims, Nodes, Pods } from '../../src/kube/resources.ts';
import { SILENT } from '../../src/logging/logger.ts';
import { DEFAULT_FEATURE_GATES } from '../../src/operator/options.ts';
import { TestEnvironment } from '../environment.ts';
import { patched } from '../expectations/index.ts';
import { SeededChoices } from '../parity/random.ts';
import { Controllers } from './controllers.ts';
import { type FaultKind, Faults } from './fault-kinds.ts';
import { faultyCloud } from './faulty-cloud.ts';
import { Observer } from './observer.ts';
import { processLog } from './process-log.ts';
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
  const standby = choices.chance(0.4);
  // One that outlives controllers; else it is part of each.
  const cloud = outlives ? env.kwok(env.api.client('cloud')) : undefined;
  let deadlyLaunches = choices.pick([0, 0.05, 0.15]);
  const controllers = new Controllers({
    ...{ env, faults, observer, standby },
    startProcess: ({ identity, lifeline, client }) => {
      const isDeadly = () => choices.chance(deadlyLaunches);
      return env.startOperator(
        { disableLeaderElection: !standby, featureGates: { ...DEFAULT_FEATURE_GATES, StaticCapacity: true } },
        {
          ...{ client, identity },
          cloud: faultyCloud({ cloud: cloud ?? env.kwok(client), faults, lifeline, observer, isDeadly }),
          log: tell ? processLog(env.clock, identity, tell) : SILENT,
        },
      );
    },
  });
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
    deadlyLaunches = 0;
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
