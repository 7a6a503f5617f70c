import type { Clock } from '../../../kube/clock.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { EksApi } from '../../aws-api/apis.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../aws-options.ts';
import { ChangeMonitor } from '../../cache/change-monitor.ts';
import type { VersionProvider } from '../contracts.ts';
import { versionProblem } from './supported-versions.ts';

const VALIDATING = 'validating kubernetes version';

/** What the API server says of itself, as `/version` has it. */
export type ServerVersion = (signal?: AbortSignal) => Promise<{ readonly major: string; readonly minor: string }>;

export interface VersionProviderDeps {
  readonly eks: Pick<EksApi, 'describeCluster'>;
  readonly serverVersion: ServerVersion;
  readonly options: Pick<AwsOptions, 'clusterName' | 'eksControlPlane'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Knows the Kubernetes version of the cluster, from EKS or from the API server (aws-provider.md section 1.7). */
export class DefaultVersionProvider implements VersionProvider {
  readonly #deps: VersionProviderDeps;
  #version: string | undefined;
  readonly #changes: ChangeMonitor;

  constructor(deps: VersionProviderDeps) {
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
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
      throw wrappedError(VALIDATING, error);
    }
  }

  /** Asks anew, and throws once for each version that this Karpenter is not made for. */
  async updateAndValidate(signal?: AbortSignal): Promise<void> {
    await this.update(signal);
    const version = this.get();
    if (!this.#changes.hasChanged('kubernetes-version', version)) return;
    this.#deps.log.debug('discovered kubernetes version', { version });
    const problem = versionProblem(version);
    if (problem !== undefined) throw new Error(`${VALIDATING}, ${problem}`);
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
