import type { Filter, InstanceStatus, InstanceStatusSummary } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../kube/clock.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { pages } from '../../aws-api/pages.ts';
import { wrappedError } from '../../aws-api/wrapped-error.ts';

/** What of an instance fails: the instance itself, its host, or its host soon. */
export type StatusCategory = 'InstanceStatus' | 'SystemStatus' | 'EventStatus';

export interface UnhealthyInstance {
  readonly id: string;
  /** At least one, each once, in the order above. */
  readonly categories: readonly StatusCategory[];
}

const UNHEALTHY_MS = 120_000;

/** Filters of one call must all hold, so that it takes one call for each. */
const QUERIES: readonly Filter[] = [
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
  {
    Name: 'event.code',
    Values: ['instance-reboot', 'system-reboot', 'system-maintenance', 'instance-retirement', 'instance-stop'],
  },
];

export interface InstanceStatusProviderDeps {
  readonly ec2: Pick<Ec2Api, 'describeInstanceStatus'>;
  readonly clock: Clock;
}

/** Asks EC2 which instances fail its checks (aws-provider.md section 25). Volumes are not looked at. */
export class InstanceStatusProvider {
  readonly #deps: InstanceStatusProviderDeps;

  constructor(deps: InstanceStatusProviderDeps) {
    this.#deps = deps;
  }

  /** Those that have failed for two minutes, and those whose host is to be worked on, whenever that is. */
  async list(signal?: AbortSignal): Promise<readonly UnhealthyInstance[]> {
    const statuses = new Map<string, InstanceStatus>();
    const describe = (input: Parameters<Ec2Api['describeInstanceStatus']>[0]) =>
      this.#deps.ec2.describeInstanceStatus(input, signal ? { signal } : {});
    try {
      for (const filter of QUERIES) {
        for await (const { InstanceStatuses = [] } of pages(describe, { Filters: [filter] })) {
          for (const status of InstanceStatuses) {
            const id = status.InstanceId ?? '';
            if (!statuses.has(id)) statuses.set(id, status);
          }
        }
      }
    } catch (error) {
      throw wrappedError('failed describing ec2 instance status checks', error);
    }
    return [...statuses].flatMap(([id, status]) => {
      const categories = this.#failing(status);
      return categories.length > 0 ? [{ id, categories }] : [];
    });
  }

  #failing({ InstanceStatus, SystemStatus, Events = [] }: InstanceStatus): readonly StatusCategory[] {
    return [
      ...(this.#hasFailed(InstanceStatus) ? (['InstanceStatus'] as const) : []),
      ...(this.#hasFailed(SystemStatus) ? (['SystemStatus'] as const) : []),
      ...(Events.length > 0 ? (['EventStatus'] as const) : []),
    ];
  }

  #hasFailed(summary: InstanceStatusSummary | undefined): boolean {
    const now = this.#deps.clock.now();
    return (summary?.Details ?? []).some(
      ({ Status, ImpairedSince }) => Status === 'failed' && now - (ImpairedSince?.getTime() ?? 0) >= UNHEALTHY_MS,
    );
  }
}
