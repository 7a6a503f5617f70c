import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fromFile, type RegionFacts, type RegionFactsFile, toFile } from '../src/aws-provider/reading/index.ts';
import { identityOf } from './aws-credentials.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** As long as prices of spot are worth something. Types and zones change by the month. */
const FRESH_MS = 3_600_000;

interface Kept {
  readonly version: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly facts: RegionFactsFile;
}

export interface KnownFacts {
  readonly facts: RegionFacts;
  readonly at: number;
}

/** What AWS said within the last hour, to whoever asked with the same credentials: asking takes seconds. */
export class Ec2FactsCache {
  readonly #env: Environment;
  /** Of the program: another one may keep other things. */
  readonly #version: string;

  constructor(env: Environment, version: string) {
    this.#env = env;
    this.#version = version;
  }

  async get(region: string, now: number): Promise<KnownFacts | undefined> {
    try {
      const { version, at, facts }: Kept = JSON.parse(await readFile(this.#path(region), 'utf8'));
      const isFresh = version === this.#version && at <= now && now - at < FRESH_MS;
      return isFresh ? { facts: fromFile(facts), at } : undefined;
    } catch {
      return undefined;
    }
  }

  /** Keeps nothing where there is no place for it. */
  async put(facts: RegionFacts, at: number): Promise<void> {
    const path = this.#path(facts.region);
    const kept: Kept = { version: this.#version, at, facts: toFile(facts) };
    try {
      await mkdir(dirname(path), { recursive: true });
      const beside = `${path}.${process.pid}`;
      await writeFile(beside, JSON.stringify(kept), { mode: 0o600 });
      await rename(beside, path);
    } catch {
      // It is asked again next time.
    }
  }

  #path(region: string): string {
    const root = this.#env.XDG_CACHE_HOME || join(this.#env.HOME || homedir(), '.cache');
    const who = createHash('sha256').update(identityOf(this.#env)).digest('hex').slice(0, 12);
    return join(root, 'kubectl-karpenter', `ec2-${region}-${who}.json`);
  }
}
