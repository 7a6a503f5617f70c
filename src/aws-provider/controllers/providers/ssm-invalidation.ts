import type { Random } from '../../../kube/clock.ts';
import type { ControllerSpec, ReconcileResult } from '../../../kube/controller.ts';
import type { AmiProvider, SsmProvider } from '../../providers/contracts.ts';

const PERIOD_MS = 30 * 60_000;

export interface SsmInvalidationDeps {
  readonly ssm: Pick<SsmProvider, 'mutableValues' | 'forget'>;
  readonly amis: AmiProvider;
  readonly random: Random;
}

/**
 * Forgets what parameters such as `recommended` said once the AMI that they named is deprecated, so that nodes get the one
 * that has taken its place within half an hour rather than a day (aws-provider.md section 9).
 */
export class SsmInvalidationController implements ControllerSpec {
  readonly name = 'providers.ssm.invalidation';
  readonly watches = [];
  readonly initialKeys = ['all'];
  readonly #deps: SsmInvalidationDeps;

  constructor(deps: SsmInvalidationDeps) {
    this.#deps = deps;
  }

  async reconcile(_key: string, signal: AbortSignal): Promise<ReconcileResult> {
    const { ssm } = this.#deps;
    const parameters = ssm.mutableValues();
    for (const id of new Set(parameters.values())) {
      if (!(await this.#isDeprecated(id, signal))) continue;
      for (const [name, value] of parameters) if (value === id) ssm.forget(name);
    }
    return { requeueAfter: PERIOD_MS };
  }

  async #isDeprecated(id: string, signal: AbortSignal): Promise<boolean> {
    const amis = await this.#deps.amis.list(
      {
        // A class of its own each time, of which no AMIs are cached.
        metadata: { name: '', uid: this.#deps.random.uuid() },
        spec: { amiSelectorTerms: [{ id }], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
      },
      signal,
    );
    return amis.some((ami) => ami.id === id && ami.deprecated);
  }
}
