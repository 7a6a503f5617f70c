import type { Logger } from '../../../logging/logger.ts';
import type { EksApi } from '../../aws-api/apis.ts';
import type { AwsOptions } from '../../aws-options.ts';
import type { VersionProvider } from '../contracts.ts';
import { versionProblem } from './supported-versions.ts';

/** What the API server says of itself, as `/version` has it. */
export type ServerVersion = (signal?: AbortSignal) => Promise<{ readonly major: string; readonly minor: string }>;

export interface VersionProviderDeps {
  readonly eks: Pick<EksApi, 'describeCluster'>;
  readonly serverVersion: ServerVersion;
  readonly options: Pick<AwsOptions, 'clusterName' | 'eksControlPlane'>;
  readonly log: Logger;
}

/** Knows the Kubernetes version of the cluster, from EKS or from the API server (aws-provider.md section 1.7). */
export class DefaultVersionProvider implements VersionProvider {
  readonly #deps: VersionProviderDeps;
  #version: string | undefined;
  #checked: string | undefined;

  constructor(deps: VersionProviderDeps) {
    this.#deps = deps;
  }

  get(): string {
    if (this.#version === undefined) throw new Error('the kubernetes version is not known yet');
    return this.#version;
  }

  /** Asks anew. What was known stays when that fails. */
  async update(signal?: AbortSignal): Promise<void> {
    try {
      this.#version = await (this.#deps.options.eksControlPlane ? this.#ofEks(signal) : this.#ofServer(signal));
    } catch (error) {
      throw failure(error instanceof Error ? error.message : String(error), error);
    }
  }

  /** Asks anew, and throws once for each version that this Karpenter is not made for. */
  async updateAndValidate(signal?: AbortSignal): Promise<void> {
    await this.update(signal);
    const version = this.get();
    if (version === this.#checked) return;
    this.#checked = version;
    this.#deps.log.debug('discovered kubernetes version', { version });
    const problem = versionProblem(version);
    if (problem !== undefined) throw failure(problem);
  }

  async #ofEks(signal?: AbortSignal): Promise<string> {
    const { eks, options } = this.#deps;
    const { cluster } = await eks.describeCluster({ name: options.clusterName }, { signal });
    return cluster?.version ?? '';
  }

  async #ofServer(signal?: AbortSignal): Promise<string> {
    const answer = await this.#deps.serverVersion(signal).catch((cause: unknown) => {
      throw new Error('getting kubernetes version from the kubernetes API', { cause });
    });
    return `${answer.major}.${answer.minor.replace(/\+$/, '')}`;
  }
}

const failure = (message: string, cause?: unknown): Error =>
  new Error(`validating kubernetes version, ${message}`, cause === undefined ? {} : { cause });
