import { constants } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { UsageError, UserError } from '../user-error.ts';

const STATE_FILE = 'cluster.json';
const LOCK_FILE = 'lock';
const LOG_FILE = 'up.log';
const NAME = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/;

/** What is known about a local cluster between two commands. */
export interface ClusterRecord {
  readonly name: string;
  readonly server: string;
  readonly kubeconfig: string;
  readonly context: string;
  /** The current context before `up` changed it. */
  readonly previousContext?: string;
  readonly startedAt: string;
  /** The process that everything runs in; another one's record tells of an earlier run. */
  readonly pid: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder that holds one folder a cluster. */
export function stateRoot(env: Environment): string {
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state'), 'kubectl-karpenter');
}

/** The folder of one local cluster: its record, its lock, its log, and what the runtime keeps. */
export class StateFolder {
  readonly name: string;
  readonly path: string;

  constructor(name: string, env: Environment) {
    if (!NAME.test(name)) {
      throw new UsageError(`"${name}" is no name for a cluster`, {
        code: 'KE1405',
        because: ['1 to 40 lower-case letters, digits and dashes, with a letter or digit at both ends'],
      });
    }
    this.name = name;
    this.path = join(stateRoot(env), name);
  }

  get logFile(): string {
    return join(this.path, LOG_FILE);
  }

  /** Makes the folder. Throws a UserError when it can't be written. */
  async create(): Promise<void> {
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
      await access(this.path, constants.W_OK | constants.X_OK);
    } catch (error) {
      throw new UserError(`the state folder ${this.path} can't be written`, {
        code: 'KE1403',
        because: [(error as Error).message],
        hints: ['XDG_STATE_HOME=FOLDER, to keep the state elsewhere'],
        cause: error,
      });
    }
  }

  async exists(): Promise<boolean> {
    return access(this.path).then(
      () => true,
      () => false,
    );
  }

  async readRecord(): Promise<ClusterRecord | undefined> {
    try {
      return JSON.parse(await readFile(join(this.path, STATE_FILE), 'utf8')) as ClusterRecord;
    } catch {
      return undefined;
    }
  }

  /** The record of the cluster if it is up now. */
  async runningRecord(): Promise<ClusterRecord | undefined> {
    const record = await this.readRecord();
    return record && record.pid === (await this.owner()) ? record : undefined;
  }

  async writeRecord(record: ClusterRecord): Promise<void> {
    const file = join(this.path, STATE_FILE);
    await writeFile(`${file}.tmp`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    await rename(`${file}.tmp`, file);
  }

  /** The process that runs the cluster now, if it lives. */
  async owner(): Promise<number | undefined> {
    const text = await readFile(join(this.path, LOCK_FILE), 'utf8').catch(() => '');
    const pid = Number.parseInt(text, 10);
    return Number.isInteger(pid) && (await isOurs(pid)) ? pid : undefined;
  }

  /** Takes the folder for this process. False when another living process has it. */
  async lock(): Promise<boolean> {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        const file = await open(join(this.path, LOCK_FILE), 'wx', 0o600);
        await file.writeFile(`${process.pid}\n`);
        await file.close();
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        if ((await this.owner()) !== undefined) return false;
        await rm(join(this.path, LOCK_FILE), { force: true });
      }
    }
    return false;
  }

  async unlock(): Promise<void> {
    await rm(join(this.path, LOCK_FILE), { force: true });
  }

  /** Removes the folder and everything in it; and the folder above once it is empty. */
  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
    const root = join(this.path, '..');
    if ((await readdir(root).catch(() => ['?'])).length === 0) await rm(root, { recursive: true, force: true });
  }
}

/** Alive, and one of our programs: process ids are used again. */
async function isOurs(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
  return commandLine === undefined || /\0up(\0|$)/.test(commandLine);
}
