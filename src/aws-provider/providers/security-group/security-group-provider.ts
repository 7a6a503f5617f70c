import type { Filter, SecurityGroup } from '@aws-sdk/client-ec2';
import type { Clock } from '../../../kube/clock.ts';
import type { Logger } from '../../../logging/logger.ts';
import type { EC2NodeClass, SecurityGroupSelectorTerm } from '../../apis/ec2-node-class.ts';
import type { Ec2Api } from '../../aws-api/apis.ts';
import { pages } from '../../aws-api/pages.ts';
import { tagFilters } from '../../aws-api/tags.ts';
import { ChangeMonitor } from '../../cache/change-monitor.ts';
import { generationKey } from '../../cache/generation-key.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { SecurityGroupProvider } from '../contracts.ts';

export interface SecurityGroupDeps {
  readonly ec2: Pick<Ec2Api, 'describeSecurityGroups'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const CACHED_MS = 60_000;
const PAGE_SIZE = 500;

/** The security groups that a class selects (aws-provider.md section 12); asked for once a minute. */
export class SecurityGroups implements SecurityGroupProvider {
  readonly #deps: SecurityGroupDeps;
  readonly #cache: TtlCache<readonly SecurityGroup[]>;
  readonly #changes: ChangeMonitor;

  constructor(deps: SecurityGroupDeps) {
    this.#deps = deps;
    this.#cache = new TtlCache(deps.clock, { ttlMs: CACHED_MS, sweepMs: CACHED_MS });
    this.#changes = new ChangeMonitor(deps.clock);
  }

  async list(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<readonly SecurityGroup[]> {
    const key = generationKey(nodeClass);
    const groups = this.#cache.get(key) ?? (await this.#describe(nodeClass.spec.securityGroupSelectorTerms, signal));
    if (!this.#cache.has(key)) this.#cache.set(key, groups);
    const ids = groups.map(({ GroupId = '' }) => GroupId).sort();
    if (this.#changes.hasChanged(nodeClass.metadata.name, ids)) {
      this.#deps.log.debug('discovered security groups', { 'security-groups': ids });
    }
    return groups;
  }

  async #describe(
    terms: readonly SecurityGroupSelectorTerm[],
    signal: AbortSignal | undefined,
  ): Promise<readonly SecurityGroup[]> {
    const call: Ec2Api['describeSecurityGroups'] = (input) => this.#deps.ec2.describeSecurityGroups(input, { signal });
    const found = new Map<string, SecurityGroup>();
    for (const Filters of queriesOf(terms)) {
      for await (const { SecurityGroups = [] } of pages(call, { Filters, MaxResults: PAGE_SIZE })) {
        for (const group of SecurityGroups) found.set(group.GroupId ?? '', group);
      }
    }
    return [...found.values()];
  }
}

/** One query for each term of tags, one for all ids and one for all names. */
function queriesOf(terms: readonly SecurityGroupSelectorTerm[]): Filter[][] {
  const ids = terms.flatMap(({ id }) => id || []);
  const names = terms.flatMap(({ id, name }) => (id ? [] : name || []));
  const tagged = terms.filter(({ id, name }) => !id && !name);
  return [
    ...tagged.map(({ tags = {} }) => tagFilters(tags)),
    ...(ids.length > 0 ? [[{ Name: 'group-id', Values: ids }]] : []),
    ...(names.length > 0 ? [[{ Name: 'group-name', Values: names }]] : []),
  ];
}
