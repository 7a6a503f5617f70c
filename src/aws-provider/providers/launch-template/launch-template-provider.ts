import { isIPv6 } from 'node:net';
import type { DescribeLaunchTemplatesRequest, LaunchTemplate as Ec2LaunchTemplate, Filter } from '@aws-sdk/client-ec2';
import type { NodeClaim } from '../../../apis/node-claim.ts';
import { combinedError } from '../../../controllers/combined-error.ts';
import { nameList } from '../../../controllers/name-list.ts';
import type { Clock } from '../../../kube/clock.ts';
import { type Logger, SILENT } from '../../../logging/logger.ts';
import type { Metrics } from '../../../metrics/metrics.ts';
import type { InstanceType } from '../../../scheduling/instance-type.ts';
import { Requirements } from '../../../scheduling/requirements.ts';
import type { EC2NodeClass } from '../../apis/ec2-node-class.ts';
import { LABEL_NODE_CLASS, TAG_EKS_CLUSTER_NAME } from '../../apis/labels.ts';
import type { AwsApis } from '../../aws-api/apis.ts';
import { isAwsNotFound, isTemplateNameTaken } from '../../aws-api/error-kinds.ts';
import { pages } from '../../aws-api/pages.ts';
import { wrappedError, wrappingErrors } from '../../aws-api/wrapped-error.ts';
import type { AwsOptions } from '../../aws-options.ts';
import { ChangeMonitor } from '../../cache/change-monitor.ts';
import { TtlCache } from '../../cache/ttl-cache.ts';
import type { LaunchTemplate, LaunchTemplateProvider, PlacementGroupProvider } from '../contracts.ts';
import { placementOfLaunch } from '../placement-group/placement-of-launch.ts';
import { Turns } from '../turns.ts';
import { ClusterCIDR } from './cluster-cidr.ts';
import { type KnownTemplate, KnownTemplates } from './known-templates.ts';
import { resolveTemplates, type TemplateDeps, type TemplateOrder } from './resolve-templates.ts';
import { TemplateDisposal } from './template-disposal.ts';
import { templateRequest } from './template-request.ts';
import { UserDataSizes } from './user-data-sizes.ts';

const MINUTE_MS = 60_000;
const PAGE_SIZE = 200;
const LISTED = 5;

type Tags = Readonly<Record<string, string>>;
type Launch = Pick<TemplateOrder, 'nodeClass' | 'nodeClaim' | 'instanceTypes' | 'capacityType'>;

export interface LaunchTemplateProviderDeps extends TemplateDeps {
  readonly apis: {
    readonly ec2: Pick<AwsApis['ec2'], 'describeLaunchTemplates' | 'createLaunchTemplate' | 'deleteLaunchTemplate'>;
    readonly eks: Pick<AwsApis['eks'], 'describeCluster'>;
  };
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly options: Pick<AwsOptions, 'clusterName'>;
  readonly placementGroups: PlacementGroupProvider;
  /** As the nodes are told. */
  readonly clusterEndpoint: string;
  readonly caBundle?: string;
  /** Where the cluster's DNS answers; an IPv6 address says that nodes have such. */
  readonly kubeDNSIP?: string;
  /** Core's feature gate: nodes go into reservations only when they are launched for one. */
  readonly reservedCapacity: boolean;
}

/**
 * Makes the launch templates that fleets are launched with, and deletes those that have not been used for a minute
 * (aws-provider.md section 16).
 */
export class DefaultLaunchTemplateProvider implements LaunchTemplateProvider {
  readonly #deps: LaunchTemplateProviderDeps;
  readonly #cache: TtlCache<Ec2LaunchTemplate>;
  /** Of ensuring and of deleting: what one has begun to use, the other must not delete. */
  readonly #turns = new Turns();
  readonly #changes: ChangeMonitor;
  readonly #sizes: UserDataSizes;
  readonly #clusterCIDR: ClusterCIDR;
  readonly #known = new KnownTemplates();

  constructor(deps: LaunchTemplateProviderDeps) {
    const { clock, log, options, apis } = deps;
    this.#deps = deps;
    this.#cache = new TtlCache(clock, {
      ttlMs: MINUTE_MS,
      sweepMs: MINUTE_MS,
      onEvicted: (name, template) => disposal.dispose(name, template),
    });
    const isUsed = (name: string) => this.#cache.has(name);
    const disposal = new TemplateDisposal({ ...deps, ec2: apis.ec2, turns: this.#turns, isUsed });
    this.#changes = new ChangeMonitor(clock);
    this.#sizes = new UserDataSizes(deps);
    this.#clusterCIDR = new ClusterCIDR({ eks: apis.eks, options, log });
  }

  ensureAll(
    nodeClass: EC2NodeClass,
    nodeClaim: NodeClaim,
    instanceTypes: readonly InstanceType[],
    capacityType: string,
    tags: Tags,
    tenancy: string,
    signal?: AbortSignal,
  ): Promise<readonly LaunchTemplate[]> {
    return this.#turns.take(async () => {
      const launch = { nodeClass, nodeClaim, instanceTypes, capacityType, tags, tenancy };
      const order = { ...launch, cluster: this.#cluster(), ...(await this.#placement(launch, signal)) };
      const templates: LaunchTemplate[] = [];
      for (const known of this.#known.of(order, () => this.#resolve(order))) {
        await this.#ensure(known, signal);
        const { template, request } = known;
        const { imageID, reservation } = template;
        templates.push({
          name: request.LaunchTemplateName ?? '',
          instanceTypes: template.instanceTypes,
          imageID,
          capacityReservationID: reservation?.id,
        });
      }
      return templates;
    });
  }

  async deleteAll(nodeClass: EC2NodeClass, signal?: AbortSignal): Promise<void> {
    const { apis, log } = this.#deps;
    const ofClass: Filter = { Name: `tag:${LABEL_NODE_CLASS}`, Values: [nodeClass.metadata.name] };
    const names: string[] = [];
    try {
      for await (const template of this.#tagged([ofClass], signal)) names.push(template.LaunchTemplateName ?? '');
    } catch (error) {
      throw wrappedError('fetching launch templates', error);
    }
    const errors: unknown[] = [];
    for (const name of names) {
      await apis.ec2
        .deleteLaunchTemplate({ LaunchTemplateName: name }, { signal })
        .catch((e: unknown) => errors.push(e));
    }
    if (names.length > 0) log.debug('deleted launch templates', { launchTemplates: nameList(names, LISTED) });
    this.#sizes.forget(nodeClass.metadata.name);
    if (errors.length > 0) throw wrappedError('deleting launch templates', combinedError(errors));
  }

  invalidate(name: string): void {
    this.#deps.log.debug('invalidating launch template in the cache because it no longer exists', {
      'launch-template-name': name,
      'launch-template-id': this.#cache.get(name)?.LaunchTemplateId,
    });
    this.#cache.forget(name);
  }

  async resolveClusterCIDR(signal?: AbortSignal): Promise<void> {
    await this.#clusterCIDR.resolve(signal);
  }

  /** A failure is logged, and tried again: templates of an earlier process stay until then. */
  async hydrate(signal?: AbortSignal): Promise<void> {
    const { log, options, clock } = this.#deps;
    const fields = { 'tag-key': TAG_EKS_CLUSTER_NAME, 'tag-value': options.clusterName };
    try {
      let count = 0;
      for await (const template of this.#tagged([], signal)) {
        this.#cache.set(template.LaunchTemplateName ?? '', template);
        count++;
      }
      log.debug('hydrated launch template cache', { ...fields, count });
    } catch (error) {
      log.error('unable to hydrate the AWS launch template cache', error, fields);
      if (!signal?.aborted) clock.setTimeout(() => void this.hydrate(signal), MINUTE_MS);
    }
  }

  /** Those of this cluster. */
  async *#tagged(filters: readonly Filter[], signal?: AbortSignal): AsyncGenerator<Ec2LaunchTemplate> {
    const { apis, options } = this.#deps;
    const ofCluster: Filter = { Name: `tag:${TAG_EKS_CLUSTER_NAME}`, Values: [options.clusterName] };
    const input: DescribeLaunchTemplatesRequest = { Filters: [ofCluster, ...filters], MaxResults: PAGE_SIZE };
    const call = (page: DescribeLaunchTemplatesRequest) => apis.ec2.describeLaunchTemplates(page, { signal });
    for await (const { LaunchTemplates = [] } of pages(call, input)) yield* LaunchTemplates;
  }

  #cluster() {
    const { options, clusterEndpoint, caBundle, kubeDNSIP } = this.#deps;
    return {
      clusterName: options.clusterName,
      clusterEndpoint,
      clusterCIDR: this.#clusterCIDR.value,
      caBundle,
      kubeDNSIP,
      isIPv6: kubeDNSIP !== undefined && isIPv6(kubeDNSIP),
    };
  }

  async #placement(launch: Launch, signal?: AbortSignal): Promise<Partial<TemplateOrder>> {
    const { placementGroups } = this.#deps;
    const requirements = Requirements.fromItems(launch.nodeClaim.spec.requirements);
    const { placementGroupPartition, ...group } = await placementOfLaunch(
      placementGroups,
      launch,
      requirements,
      signal,
    );
    return {
      ...group,
      ...(placementGroupPartition === undefined ? {} : { placementGroupPartition: Number(placementGroupPartition) }),
    };
  }

  #resolve(order: TemplateOrder): readonly KnownTemplate[] {
    return resolveTemplates(this.#deps, order).map((template) => {
      const complaints: Parameters<Logger['error']>[] = [];
      const log: Logger = { ...SILENT, error: (...complaint) => complaints.push(complaint) };
      const request = wrappingErrors('creating launch template', () =>
        templateRequest(template, template.family.userData(template.bootstrap, log), this.#deps.reservedCapacity),
      );
      return { template, request, complaints };
    });
  }

  async #ensure(known: KnownTemplate, signal?: AbortSignal): Promise<void> {
    const name = known.request.LaunchTemplateName ?? '';
    const ec2Template =
      this.#cache.get(name) ?? (await this.#find(name, signal)) ?? (await this.#create(known, signal));
    this.#cache.set(name, ec2Template);
  }

  async #find(name: string, signal?: AbortSignal): Promise<Ec2LaunchTemplate | undefined> {
    const { apis, log } = this.#deps;
    const found = await apis.ec2
      .describeLaunchTemplates({ LaunchTemplateNames: [name] }, { signal })
      .catch((error: unknown) => {
        if (isAwsNotFound(error)) return undefined;
        throw wrappedError('describing launch templates', error);
      });
    if (!found) return undefined;
    const { LaunchTemplates: [template, ...more] = [] } = found;
    if (!template || more.length > 0) {
      const count = found.LaunchTemplates?.length ?? 0;
      throw new Error(`expected to find one launch template (launch-template-count=${count})`);
    }
    const isNews = this.#changes.hasChanged(`launchtemplate-${name}`, name);
    if (isNews) log.debug('discovered launch template', { 'launch-template-name': name });
    return template;
  }

  async #create({ template, request, complaints }: KnownTemplate, signal?: AbortSignal): Promise<Ec2LaunchTemplate> {
    const { apis, log } = this.#deps;
    for (const complaint of complaints) log.error(...complaint);
    this.#sizes.record(template.nodeClassName, request);
    try {
      const { LaunchTemplate: created = {} } = await apis.ec2.createLaunchTemplate(request, { signal });
      const fields = { 'launch-template-name': request.LaunchTemplateName, id: created.LaunchTemplateId };
      log.debug('created launch template', fields);
      return created;
    } catch (error) {
      // Another controller has done so since we looked, or an answer was lost on its way here.
      const made = isTemplateNameTaken(error) ? await this.#find(request.LaunchTemplateName ?? '', signal) : undefined;
      if (made) return made;
      throw wrappedError('creating launch template', error);
    }
  }
}
