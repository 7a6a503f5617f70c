import { SILENT } from '../../../src/logging/logger.ts';
import type { MetricName } from '../../../src/metrics/definitions.ts';
import { NO_METRICS } from '../../../src/metrics/metrics.ts';
import { AwsEnvironment } from '../../aws/aws-environment.ts';
import { SeededChoices } from '../../parity/random.ts';
import { Controllers } from '../controllers.ts';
import { type FaultKind, Faults } from '../fault-kinds.ts';
import { Observer } from '../observer.ts';
import { processLog } from '../process-log.ts';
import { unsettled } from '../unsettled.ts';
import { AccountLife } from './account-life.ts';
import { AccountWatch } from './account-watch.ts';
import { miscounts } from './miscounts.ts';
import { People } from './people.ts';
import { troubledApis } from './troubled-apis.ts';

export interface SoakOutcome {
  readonly kills: number;
  readonly launches: number;
  readonly evictions: number;
  readonly mostTemplates: number;
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly violations: readonly string[];
}

export interface SoakOptions {
  readonly seed: number;
  /** Virtual minutes of trouble. */
  readonly minutes: number;
  /** Virtual milliseconds between two events at most; four minutes unless told. */
  readonly pauseMs?: number;
  /** Hears what the controllers log. */
  readonly tell?: (line: string) => void;
  /** Called after each virtual hour. */
  readonly onHour?: () => void;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** After the trouble everything has to be in its place for so long … */
const STEADY_MS = 5 * MINUTE_MS;
/** … before so much time has passed. */
const SETTLE_MS = 90 * MINUTE_MS;

/**
 * A cluster on EC2 for hours: pods come and go, classes are edited, images released, instances interrupted and broken, AWS
 * and the API throttle, fail and lose answers, controllers are killed. Watched all the time; then all that ends, the cluster
 * has to come to rest, and when it is deleted the account has to be empty.
 */
export async function soak({
  seed,
  minutes,
  pauseMs = 4 * MINUTE_MS,
  tell,
  onHour,
}: SoakOptions): Promise<SoakOutcome> {
  const choices = new SeededChoices(seed);
  // Nothing fails and nobody is killed: all that is counted has to add up.
  const isCalm = choices.chance(0.2);
  const standby = choices.chance(0.4);
  const counts = new Map<MetricName, number>();
  const world = await AwsEnvironment.open({
    aws: { interruptionQueue: 'news', enableZonalShift: true },
    operator: { disableLeaderElection: !standby },
    metrics: { ...NO_METRICS, count: (name, _labels, by = 1) => void counts.set(name, (counts.get(name) ?? 0) + by) },
  });
  const { env, aws } = world;
  const { durations } = aws.cloud;
  durations.unknown = choices.pick([0, 3000, 15_000]);
  durations.pending = 10_000;
  durations.shuttingDown = 45_000;
  durations.profile = choices.pick([0, 10_000]);
  aws.cloud.pageLimit = choices.pick([2, 1000]);
  const stop = new AbortController();
  const observer = new Observer({ client: env.client, clock: env.clock });
  const faults = new Faults(choices, isCalm ? 0 : choices.pick([0.01, 0.03, 0.06]));
  let deadlyLaunches = isCalm ? 0 : choices.pick([0, 0.1]);
  const controllers = new Controllers({
    ...{ env, faults, observer, standby },
    startProcess: ({ identity, lifeline, client }) => {
      const isDeadly = () => choices.chance(deadlyLaunches);
      const started = world.startOperator({
        ...{ identity, client },
        apis: troubledApis({ ...{ faults, lifeline, isDeadly }, apis: aws.apis, clock: env.clock }),
        log: tell ? processLog(env.clock, identity, tell) : SILENT,
      });
      return {
        ended: started.then(({ ended }) => ended),
        kill: async () => await (await started).kill(),
      };
    },
  });
  const life = new AccountLife(world, choices, aws.cloud.addQueue('news'));
  const people = new People(world, choices);
  const watch = new AccountWatch(world, (what) => observer.violated(what));
  world.startCluster(choices.pick([5000, 40_000]), {
    controlPlane: { nodes: { monitorGrace: Number.POSITIVE_INFINITY, startupGrace: Number.POSITIVE_INFINITY } },
    kubelets: { leaseRenewMs: 0 },
  });
  void life.runCloudController(stop.signal);
  observer.start(stop.signal);
  await people.begin();
  controllers.start();

  await trouble();
  const problems = [
    ...(await settle('the cluster', unsettledNow)),
    ...(isCalm ? await miscounts(env, counts) : []),
    ...(await leave()),
  ];
  const { kills } = controllers;
  controllers.close();
  stop.abort();
  await world.close();
  return {
    kills,
    launches: aws.cloud.instances.size,
    evictions: observer.evictions,
    mostTemplates: watch.mostTemplates,
    faults: faults.counts,
    violations: [...observer.violations, ...problems],
  };

  async function trouble(): Promise<void> {
    const start = env.clock.now();
    const end = start + minutes * MINUTE_MS;
    const usual = faults.rate;
    let hour = 0;
    while (env.clock.now() < end) {
      await env.clock.advance(choices.integer(1, pauseMs));
      if (choices.chance(0.6)) await people.act();
      if (choices.chance(0.6)) life.act();
      if (!isCalm && choices.chance(0.05)) controllers.kill(choices.chance(0.6) ? choices.integer(1, 12) : undefined);
      if (!isCalm && choices.chance(0.02)) controllers.stopOne();
      faults.rate = usual > 0 && choices.chance(0.05) ? 0.5 : usual;
      aws.calls.clear();
      await watch.look();
      if (env.clock.now() - start < (hour + 1) * HOUR_MS) continue;
      hour++;
      onHour?.();
    }
    faults.rate = 0;
    deadlyLaunches = 0;
    life.end();
    await people.end();
  }

  async function unsettledNow(): Promise<readonly string[]> {
    return [...(await unsettled(env)), ...(await watch.mismatches()), ...watch.oldTemplates()];
  }

  async function leave(): Promise<readonly string[]> {
    await people.leave();
    return await settle('the account', () => watch.leftovers());
  }

  /** What is still wrong when the time is up; nothing once nothing has been wrong for a while. */
  async function settle(what: string, wrong: () => Promise<readonly string[]>): Promise<readonly string[]> {
    const end = env.clock.now() + SETTLE_MS;
    let since = env.clock.now();
    let last: readonly string[] = [];
    while (env.clock.now() < end) {
      await env.clock.advance(MINUTE_MS / 2);
      last = await wrong();
      if (last.length > 0) since = env.clock.now();
      else if (env.clock.now() - since >= STEADY_MS) return [];
    }
    return [`${what} does not come to rest`, ...last];
  }
}
