/** moto behind the front of ./front, as a program of its own; what tests ask of both. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { motoPython } from './python.ts';

const FRONT = resolve(import.meta.dirname, 'front/main.py');

/** One request that AWS got, its parameters as AWS's own models parse them. */
export interface Entry {
  readonly service: string;
  readonly action: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The code of the refusal, if it was refused. */
  readonly error: string | null;
  readonly agent: string;
  /** Seconds since the epoch. */
  readonly time: number;
}

/** What the account has after seeding. */
export interface Seeded {
  readonly vpc: string;
  readonly subnets: readonly {
    readonly SubnetId: string;
    readonly AvailabilityZone: string;
    readonly AvailabilityZoneId: string;
  }[];
  readonly securityGroups: readonly string[];
  readonly role: string;
  readonly queue: string;
  readonly account: string;
}

export interface SeedOptions {
  readonly cluster: string;
  readonly region: string;
  /** Of Kubernetes: `1.36`. */
  readonly version: string;
  readonly clusterEndpoint: string;
}

/** A machine, with what only it is told. */
export interface MotoInstance {
  readonly id: string;
  readonly state: string;
  readonly type: string;
  readonly zone: string;
  readonly spot: boolean;
  readonly privateDnsName: string;
  /** Base64. */
  readonly userData: string;
  readonly tags: Readonly<Record<string, string>>;
}

/** Lists that a test sets as a whole. */
export type FrontList =
  | 'ice'
  | 'not-sold'
  | 'faults'
  | 'capacity-reservations'
  | 'placement-groups'
  | 'instance-status'
  | 'zonal-shifts';

export class MotoServer implements AsyncDisposable {
  readonly endpoint: string;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, endpoint: string) {
    this.#process = process;
    this.endpoint = endpoint;
  }

  /** Starts it on a free port of this machine; `verbose` shows what it says. */
  static async start(options: { readonly verbose?: boolean } = {}): Promise<MotoServer> {
    const started = spawn(motoPython(), [FRONT], { stdio: ['pipe', 'pipe', 'pipe'] });
    if (options.verbose) started.stderr.pipe(process.stderr);
    let said = '';
    started.stderr.on('data', (chunk) => {
      said = `${said}${chunk}`.slice(-20_000);
    });
    const lines = createInterface({ input: started.stdout });
    const [line] = await Promise.race([
      once(lines, 'line') as Promise<[string]>,
      once(started, 'exit').then(() => Promise.reject(new Error(`moto did not start:\n${said}`))),
    ]);
    return new MotoServer(started, line);
  }

  /** What the SDKs and programs that talk to it need in their environment. */
  environment(region: string): Readonly<Record<string, string>> {
    return {
      AWS_ENDPOINT_URL: this.endpoint,
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_EC2_METADATA_DISABLED: 'true',
    };
  }

  /** A VPC with four subnets and two groups, role, EKS cluster, and a queue that EC2's events go to. */
  async seed(options: SeedOptions): Promise<Seeded> {
    return (await this.#ask('POST', 'seed', options)) as Seeded;
  }

  /** What was asked for, from the given number of entries on. */
  async journal(since = 0): Promise<readonly Entry[]> {
    return (await this.#ask('GET', `journal?since=${since}`)) as readonly Entry[];
  }

  async set(list: FrontList, rows: readonly object[]): Promise<void> {
    await this.#ask('POST', list, rows);
  }

  async list(list: FrontList): Promise<readonly Readonly<Record<string, unknown>>[]> {
    return (await this.#ask('GET', list)) as readonly Readonly<Record<string, unknown>>[];
  }

  /** All that there were, the terminated too. */
  async instances(region: string): Promise<readonly MotoInstance[]> {
    return (await this.#ask('GET', `instances?region=${region}`)) as readonly MotoInstance[];
  }

  async addImages(region: string, images: readonly object[]): Promise<void> {
    await this.#ask('POST', 'images', { region, images });
  }

  /** Sends an event through EventBridge. */
  async event(region: string, source: string, detailType: string, detail: object): Promise<void> {
    const entry = { region, Source: source, DetailType: detailType, Detail: JSON.stringify(detail) };
    await this.#ask('POST', 'event', entry);
  }

  /** Empties the account and forgets the journal. */
  async reset(): Promise<void> {
    await this.#ask('POST', 'reset');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const gone = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await gone;
  }

  async #ask(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.endpoint}/front/${path}`, {
      method,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the front refuses ${path}: ${text}`);
    return JSON.parse(text);
  }
}
