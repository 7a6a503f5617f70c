import type { LaunchTemplate } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../kube/clock.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { isAwsNotFound } from '../../aws-api/error-kinds.ts';
import type { Turns } from '../turns.ts';

export interface TemplateDisposalDeps {
  readonly ec2: Pick<Ec2Api, 'deleteLaunchTemplate'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of ensuring and of deleting. */
  readonly turns: Turns;
  /** Whether the template of this name has been used again. */
  readonly isUsed: (name: string) => boolean;
}

const FIRST_PAUSE_MS = 60_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** Deletes launch templates that nobody uses any more. What fails is tried again, ever more seldom: else it would stay for good. */
export class TemplateDisposal {
  readonly #deps: TemplateDisposalDeps;

  constructor(deps: TemplateDisposalDeps) {
    this.#deps = deps;
  }

  dispose(name: string, template: LaunchTemplate, pauseMs = FIRST_PAUSE_MS): void {
    void this.#deps.turns.take(() => this.#delete(name, template, pauseMs));
  }

  async #delete(name: string, template: LaunchTemplate, pauseMs: number): Promise<void> {
    const { ec2, clock, log, isUsed } = this.#deps;
    // It has been used again while this waited.
    if (isUsed(name)) return;
    const { LaunchTemplateId, LaunchTemplateName } = template;
    try {
      await ec2.deleteLaunchTemplate({ LaunchTemplateId });
    } catch (error) {
      if (isAwsNotFound(error)) return;
      log.error('failed to delete launch template', error, { 'launch-template': LaunchTemplateName });
      clock.setTimeout(() => this.dispose(name, template, Math.min(2 * pauseMs, LONGEST_PAUSE_MS)), pauseMs);
      return;
    }
    log.debug('deleted launch template', { id: LaunchTemplateId, name: LaunchTemplateName });
  }
}
