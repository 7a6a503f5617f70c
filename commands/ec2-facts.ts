import { EC2_US_EAST_1 } from '../kwok-provider/instance-types/ec2-catalogue.ts';
import { spotShare } from '../kwok-provider/instance-types/spot-share.ts';
import {
  assumedZones,
  connectAws,
  type LookUps,
  liveFacts,
  onDemandListPrices,
  type RegionFacts,
  shippedFacts,
  type Zone,
} from '../src/aws-provider/reading/index.ts';
import { formatAge } from '../src/cli/age.ts';
import { UserError } from '../src/cli/user-error.ts';
import { NO_METRICS } from '../src/metrics/metrics.ts';
import { RealClock } from '../src/operator/clock.ts';
import { mayHaveCredentials } from './aws-credentials.ts';
import { Ec2FactsCache } from './ec2-facts-cache.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** AWS itself, what the program brings, or AWS if it can be asked. */
export type WantedFacts = 'aws' | 'shipped' | 'either';

export interface FactsQuestion {
  readonly wanted: WantedFacts;
  /** Undefined where the cluster doesn't tell. */
  readonly region: string | undefined;
  /** Zones that the cluster is in; empty where it doesn't tell. */
  readonly zones: readonly Zone[];
}

export interface FoundFacts {
  readonly facts: RegionFacts;
  /** Zones that the cluster is in, or may be. */
  readonly zones: readonly Zone[];
  /** Where AWS can be asked for more. */
  readonly ec2?: LookUps;
  /** Where they are from and how to get others, in one line. */
  readonly note: string;
}

export interface Ec2FactsDeps {
  readonly env: Environment;
  /** Of the program. */
  readonly version: string;
  /** Tells of what takes long. */
  readonly say: (line: string) => void;
}

const DEFAULT_REGION = EC2_US_EAST_1.region;
/** For everything that is asked. */
const LIMIT_MS = 60_000;
const SHARES = new Map(EC2_US_EAST_1.types.map((type) => [type.name, type]));

/** Finds out what EC2 sells, once for each region while the program runs. */
export class Ec2Facts {
  readonly #deps: Ec2FactsDeps;
  readonly #clock = new RealClock();
  readonly #asked = new Map<string, Promise<FoundFacts>>();

  constructor(deps: Ec2FactsDeps) {
    this.#deps = deps;
  }

  /** @throws {UserError} when AWS is wanted and can't be asked. */
  async find(question: FactsQuestion, signal: AbortSignal): Promise<FoundFacts> {
    const { wanted } = question;
    if (wanted === 'shipped') return shipped(question);
    if (wanted === 'either' && !(await mayHaveCredentials(this.#deps.env))) {
      return shipped(question, 'no AWS credentials found');
    }
    try {
      return await this.#once(question, signal);
    } catch (cause) {
      signal.throwIfAborted();
      const { message } = cause as Error;
      if (wanted === 'either') return shipped(question, `AWS can't be asked (${message})`);
      const hints = [`--catalog ec2:${DEFAULT_REGION}, to reckon without AWS`];
      throw new UserError("AWS can't be asked what EC2 sells", { code: 'KE1205', because: [message], hints, cause });
    }
  }

  async #once(question: FactsQuestion, signal: AbortSignal): Promise<FoundFacts> {
    const key = question.region ?? '';
    const asked = this.#asked.get(key) ?? this.#ask(question, signal);
    this.#asked.set(key, asked);
    try {
      return await asked;
    } catch (error) {
      this.#asked.delete(key);
      throw error;
    }
  }

  async #ask({ wanted, region: told, zones: known }: FactsQuestion, signal: AbortSignal): Promise<FoundFacts> {
    const { env, version, say } = this.#deps;
    const parts = { metrics: NO_METRICS, clock: this.#clock, version, env };
    const { apis, region } = await connectAws({ ...parts, region: told });
    const cache = new Ec2FactsCache(env, version);
    const now = this.#clock.now();
    const zones = known.length > 0 ? known : assumedZones(region, EC2_US_EAST_1);
    const kept = wanted === 'either' ? await cache.get(region, now) : undefined;
    if (kept) return { facts: kept.facts, zones, ec2: apis.ec2, note: liveNote(region, [], now - kept.at) };
    say(`asking AWS what EC2 sells in ${region} …`);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const { facts, problems } = await liveFacts(apis, region, this.#clock, limit);
    if (problems.length === 0) await cache.put(facts, now);
    return { facts, zones, ec2: apis.ec2, note: liveNote(region, problems, 0) };
  }
}

function liveNote(region: string, problems: readonly string[], age: number): string {
  const when = age > 0 ? `, asked ${formatAge(age)} ago` : '';
  const but = problems.length > 0 ? `; but list prices of the program, since ${problems.join(', ')}` : '';
  return `EC2's types and prices are from AWS (${region}${when})${but}; --catalog ec2:${DEFAULT_REGION} reckons without AWS`;
}

function shipped({ region = DEFAULT_REGION, zones: known }: FactsQuestion, why?: string): FoundFacts {
  const zones = known.length > 0 ? known : assumedZones(region, EC2_US_EAST_1);
  const facts = shippedFacts({
    ...{ region, zones, catalogue: EC2_US_EAST_1 },
    spotShare: (name, zone) => spotShare(SHARES.get(name) ?? { name, devices: {} }, zone),
  });
  const { asOf } = onDemandListPrices(region) ?? onDemandListPrices(DEFAULT_REGION) ?? { asOf: '' };
  const ofRegion = onDemandListPrices(region) ? region : `${DEFAULT_REGION}, for want of those of ${region}`;
  const because = why === undefined ? '' : `${why}: `;
  const note = `${because}EC2's types and list prices are the program's own (${ofRegion}, ${asOf}), prices of spot made up; --catalog aws asks AWS`;
  return { facts, zones, note };
}
