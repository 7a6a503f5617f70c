import type { CreateLaunchTemplateRequest } from '@aws-sdk/client-ec2';
import type { Logger } from '../../../logging/logger.ts';
import type { Metrics } from '../../../metrics/metrics.ts';

/** Bytes of user data that EC2 takes, before its base64. It is for EC2 to refuse more. */
const LIMIT = 16384;
const WARNED = Math.floor((LIMIT * 9) / 10);

/** Tells how long the user data of each class is, so that its growth is seen before EC2 refuses it (aws-provider.md section 10). */
export class UserDataSizes {
  readonly #log: Logger;
  readonly #bytes = new Map<string, number>();

  constructor({ log, metrics }: { readonly log: Logger; readonly metrics: Metrics }) {
    this.#log = log;
    metrics.collect(() => ({
      ec2nodeclasses_userdata_bytes: [...this.#bytes].map(([nodeclass, value]) => ({ labels: { nodeclass }, value })),
    }));
  }

  record(nodeClass: string, { LaunchTemplateName, LaunchTemplateData }: CreateLaunchTemplateRequest): void {
    const bytes = Buffer.from(LaunchTemplateData?.UserData ?? '', 'base64').length;
    this.#bytes.set(nodeClass, bytes);
    if (bytes < WARNED) return;
    this.#log.info('rendered user data is approaching the EC2 user data size limit', {
      'launch-template-name': LaunchTemplateName,
      'userdata-bytes': bytes,
      'warn-threshold': WARNED,
      limit: LIMIT,
    });
  }

  /** The class is gone. */
  forget(nodeClass: string): void {
    this.#bytes.delete(nodeClass);
  }
}
