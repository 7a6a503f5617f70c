import type { ControllerSpec, ReconcileResult } from '../../../kube/controller.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';
import type { DefaultVersionProvider } from '../../providers/version/version-provider.ts';

const PERIOD_MS = 5 * 60_000;

/** Keeps the Kubernetes version up to date, and complains of one that is not supported (aws-provider.md section 2). */
export class VersionController implements ControllerSpec {
  readonly name = 'providers.version';
  readonly watches = [];
  readonly initialKeys = ['all'];
  readonly #version: Pick<DefaultVersionProvider, 'updateAndValidate'>;

  constructor(deps: { readonly version: Pick<DefaultVersionProvider, 'updateAndValidate'> }) {
    this.#version = deps.version;
  }

  async reconcile(_key: string, signal: AbortSignal): Promise<ReconcileResult> {
    try {
      await this.#version.updateAndValidate(signal);
    } catch (cause) {
      throw wrappedError('updating version', cause);
    }
    return { requeueAfter: PERIOD_MS };
  }
}
