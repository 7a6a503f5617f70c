import { VALIDATION_SUCCEEDED } from '../../../../apis/condition-types.ts';
import type { Clock } from '../../../../kube/clock.ts';
import type { ReconcileResult } from '../../../../kube/controller.ts';
import { TerminalError } from '../../../../kube/terminal-error.ts';
import {
  AMIS_READY,
  INSTANCE_PROFILE_READY,
  SECURITY_GROUPS_READY,
  SUBNETS_READY,
} from '../../../apis/condition-types.ts';
import type { EC2NodeClass } from '../../../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../../../apis/ec2-node-class-facts.ts';
import { instanceTags } from '../../../apis/instance-tags.ts';
import { isPassing } from '../../../aws-api/error-kinds.ts';
import { wrappedError } from '../../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../../aws-options.ts';
import type { LaunchTemplateProvider } from '../../../providers/contracts.ts';
import type { NodeClassDraft, NodeClassReconciler } from '../draft.ts';
import { KubeletChecks, type KubeletChecksDeps, type KubeletFault } from './kubelet-checks.ts';
import { LaunchProbes, type LaunchProbesDeps } from './launch-probes.ts';
import type { Outcome, ValidationCache } from './validation-cache.ts';

export interface ValidationReconcilerDeps extends LaunchProbesDeps, Omit<KubeletChecksDeps, 'instanceTypes'> {
  readonly instanceTypes: LaunchProbesDeps['instanceTypes'] & KubeletChecksDeps['instanceTypes'];
  readonly launchTemplates: Pick<LaunchTemplateProvider, 'ensureAll' | 'resolveClusterCIDR'>;
  readonly cache: ValidationCache;
  readonly clock: Clock;
  readonly options: Pick<AwsOptions, 'clusterName' | 'disableDryRun'>;
}

const DEPENDENCIES = [AMIS_READY, INSTANCE_PROFILE_READY, SECURITY_GROUPS_READY, SUBNETS_READY];
const PERIOD: ReconcileResult = { requeueAfter: 10 * 60_000 };
const VALID: Outcome = { valid: true };

/** Says whether nodes could be launched with what the class asks for (aws-provider.md section 7). */
export class ValidationReconciler implements NodeClassReconciler {
  readonly #deps: ValidationReconcilerDeps;
  readonly #kubelet: KubeletChecks;
  readonly #probes: LaunchProbes;

  constructor(deps: ValidationReconcilerDeps) {
    this.#deps = deps;
    this.#kubelet = new KubeletChecks(deps);
    this.#probes = new LaunchProbes(deps);
  }

  async reconcile(draft: NodeClassDraft, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    const { nodeClass } = draft;
    if (!(await this.#resolveClusterCIDR(draft, signal))) return { requeue: true };
    const fault = this.#kubelet.fault(nodeClass);
    if (fault) return reject(draft, fault);
    if (!this.#dependenciesReady(draft)) return PERIOD;
    const trial = this.#kubelet.trial(nodeClass);
    if (trial === 'too early') return { requeue: true };
    if (trial) return reject(draft, trial);
    return await this.#validateLaunch(draft, this.#tags(draft), signal);
  }

  /** Only AL2023 has to be told the addresses of Services. False: not now. */
  async #resolveClusterCIDR({ nodeClass, conditions }: NodeClassDraft, signal: AbortSignal): Promise<boolean> {
    if (amiFamilyOf(nodeClass) !== 'AL2023') return true;
    try {
      await this.#deps.launchTemplates.resolveClusterCIDR(signal);
      return true;
    } catch (error) {
      if (isPassing(error)) return false;
      const message = 'Failed to detect the cluster CIDR';
      conditions.setFalse(VALIDATION_SUCCEEDED, 'ClusterCIDRResolutionFailed', message);
      throw wrappedError('failed to detect the cluster CIDR', error);
    }
  }

  #dependenciesReady({ conditions }: NodeClassDraft): boolean {
    const reason = 'DependenciesNotReady';
    const message = 'Awaiting AMI, Instance Profile, Security Group, and Subnet resolution';
    if (DEPENDENCIES.some((type) => conditions.isFalse(type))) {
      conditions.setFalse(VALIDATION_SUCCEEDED, reason, message);
      return false;
    }
    if (DEPENDENCIES.some((type) => conditions.isUnknown(type))) {
      conditions.setUnknown(VALIDATION_SUCCEEDED, reason, message);
      return false;
    }
    return true;
  }

  #tags({ nodeClass, conditions }: NodeClassDraft): Readonly<Record<string, string>> {
    try {
      return instanceTags(nodeClass, '', this.#deps.options.clusterName);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      conditions.setFalse(VALIDATION_SUCCEEDED, 'TagValidationFailed', message);
      throw new TerminalError('validating tags', error);
    }
  }

  async #validateLaunch(
    draft: NodeClassDraft,
    tags: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { cache, options } = this.#deps;
    const { nodeClass } = draft;
    const known = cache.get(nodeClass) ?? (options.disableDryRun ? VALID : undefined);
    if (known) return this.#conclude(draft, known);
    const result = await this.#probes.ask(nodeClass, tags, signal);
    switch (result.kind) {
      case 'allowed':
        return this.#conclude(draft, VALID);
      case 'refused':
        return this.#conclude(draft, { valid: false, reason: result.reason, message: result.message });
      case 'no-profile':
        noteMissingProfile(draft, nodeClass);
        return { requeue: true };
      case 'again':
        return { requeue: true };
    }
  }

  #conclude(draft: NodeClassDraft, outcome: Outcome): ReconcileResult {
    const { cache } = this.#deps;
    if (!cache.get(draft.nodeClass)) cache.set(draft.nodeClass, outcome);
    if (outcome.valid) draft.conditions.setTrue(VALIDATION_SUCCEEDED);
    else draft.conditions.setFalse(VALIDATION_SUCCEEDED, outcome.reason, outcome.message);
    return PERIOD;
  }
}

/** @throws TerminalError when only another spec helps. */
function reject({ conditions }: NodeClassDraft, { reason, message, failure }: KubeletFault): undefined {
  conditions.setFalse(VALIDATION_SUCCEEDED, reason, message);
  if (failure !== undefined) throw new TerminalError(failure);
  return undefined;
}

function noteMissingProfile({ conditions }: NodeClassDraft, { spec }: EC2NodeClass): void {
  const message = `Instance profile ${JSON.stringify(spec.instanceProfile)} not found`;
  conditions.setFalse(VALIDATION_SUCCEEDED, 'InstanceProfileNotFound', message);
}
