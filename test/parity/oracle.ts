import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { KubeObject } from '../../src/kube/objects.ts';

export interface UpstreamClaim {
  readonly nodePool: string;
  readonly pods: readonly string[];
  readonly instanceTypes: readonly string[] | null;
  readonly cheapestPrice: number;
  readonly requests: Readonly<Record<string, string>>;
  readonly requirements: readonly string[] | null;
}

export interface UpstreamBuffer {
  readonly replicas?: number;
  /** `status reason: message` by type. */
  readonly conditions: Readonly<Record<string, string>>;
}

/** One answer of `oracle serve` to solve. */
export interface UpstreamSolve {
  readonly newNodeClaims: readonly UpstreamClaim[] | null;
  readonly existingNodes: Readonly<Record<string, readonly string[]>>;
  readonly podErrors: Readonly<Record<string, string>>;
  /** Pending pods that don't take part, and why. */
  readonly rejected?: Readonly<Record<string, string>>;
  /** A text for those not in force. */
  readonly overlays?: Readonly<Record<string, string>>;
  readonly buffers?: Readonly<Record<string, UpstreamBuffer>>;
  /** As they would be created, in the order of `newNodeClaims`; null where upstream panics. */
  readonly claims?: readonly (NodeClaim | null)[] | null;
  readonly staticClaims?: readonly NodeClaim[] | null;
  /** Upstream panicked over one of them. */
  readonly staticPanics?: boolean;
  readonly millis: readonly number[];
  readonly totalPrice: number;
  readonly nodes: number;
}

export interface OracleRequest {
  readonly command: 'solve' | 'disrupt';
  readonly world: { readonly kind: 'List'; readonly apiVersion: 'v1'; readonly items: readonly KubeObject[] };
  /** solve: that many answers, each on a fresh world. */
  readonly runs?: number;
  /** RFC 3339. */
  readonly now?: string;
  /** A file in the kwok provider's format. */
  readonly instanceTypes?: string;
  readonly preferencePolicy?: 'Respect' | 'Ignore';
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
  /** Feature gates. */
  readonly spotToSpot?: boolean;
  readonly nodeOverlay?: boolean;
  readonly capacityBuffer?: boolean;
  readonly staticCapacity?: boolean;
  /** disrupt: what the cluster's objects don't say. */
  readonly disrupt?: DisruptState & { readonly anyOrder?: boolean; readonly each?: boolean };
  /** disrupt: the cluster when commands are validated. */
  readonly later?: OracleRequest['world'];
  readonly laterDisrupt?: DisruptState;
}

/** Provider ids of nodes that are nominated, marked for deletion, in a running command. */
export interface DisruptState {
  readonly nominated: readonly string[];
  readonly marked: readonly string[];
  readonly queued: readonly string[];
}

export interface OracleAnswer {
  readonly solve?: readonly UpstreamSolve[];
  readonly disrupt?: unknown;
  readonly error?: string;
}

/** The binary that is upstream Karpenter: `KARPENTER_ORACLE`, or test/oracle, built when its sources have changed. */
export function oracleBinary(): string {
  const given = process.env.KARPENTER_ORACLE;
  if (given) return given;
  const tool = fileURLToPath(new URL('../../hack/go-tool', import.meta.url));
  return execFileSync(tool, ['oracle'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

/** Upstream Karpenter as a process that answers one question after the other. */
export class Oracle implements AsyncDisposable {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #errors = '';

  constructor(binary = oracleBinary()) {
    this.#process = spawn(binary, ['serve']);
    this.#process.stderr.on('data', (chunk) => {
      this.#errors = (this.#errors + chunk).slice(-4000);
    });
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async ask(request: OracleRequest): Promise<OracleAnswer> {
    this.#process.stdin.write(`${JSON.stringify(request)}\n`);
    const { value, done } = await this.#lines.next();
    if (done) throw new Error(`the oracle ended: ${this.#errors}`);
    return JSON.parse(value) as OracleAnswer;
  }

  /** Answers of as many runs; throws what upstream throws. */
  async solve(request: Omit<OracleRequest, 'command'>): Promise<readonly UpstreamSolve[]> {
    const answer = await this.ask({ command: 'solve', ...request });
    if (!answer.solve) throw new Error(`upstream failed: ${answer.error}`);
    return answer.solve;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.stdin.end();
    const closed = new Promise((resolve) => this.#process.once('close', resolve));
    await closed;
  }
}
