import type { PolicyDocumentStatement } from '../../doctor/doctor-report.ts';
import { type Finding, fail, pass, skipped } from '../../doctor/finding.ts';
import { type Check, type PlacedFinding, runChecks } from '../../doctor/run-checks.ts';
import { ApiError } from '../../kube/errors.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../apis/ec2-node-class.ts';
import { amiFamilyOf } from '../apis/ec2-node-class-facts.ts';
import type { PolicyScope } from '../aws-api/iam-policies.ts';
import { clusterFindings, type EksAnswer } from './cluster-facts.ts';
import { AWS, type AwsDoctorDeps, PERMISSIONS } from './deps.ts';
import { type FirstContact, firstContact } from './first-contact.ts';
import { nodeClassResult } from './node-class.ts';
import { errorSummary, type Outcome, outcomeOf, untried } from './outcome.ts';
import { permissionReport } from './permission-findings.ts';
import { queueResult } from './queue.ts';
import { type Probe, readProbes } from './reads.ts';
import { writeProbes } from './writes.ts';

export interface AwsDiagnosis {
  readonly findings: readonly PlacedFinding[];
  /** Those that the policies of the controller's role lack. */
  readonly statements: readonly PolicyDocumentStatement[];
}

const DESCRIBE_CLUSTER = 'eks:DescribeCluster';
const ZONAL_SHIFT = 'arc-zonal-shift:GetManagedResource';
/** Lookups, then a trial launch; SSM before the images, and a page or two. */
const STEPS_OF_A_CLASS = 4;

/** For who can't ask AWS. */
export const NOT_ASKED = skipped(
  'the rest',
  'cluster endpoint, queue, node classes and permissions: AWS can’t be asked like this',
);

/** Asks the account, and changes nothing in it, whether a controller with these options would work. */
export async function diagnoseAws(deps: AwsDoctorDeps): Promise<AwsDiagnosis> {
  const limits = { ...deps.limits, clock: deps.clock };
  const contact = await firstContact(deps);
  if (!contact.usable) return { findings: [...contact.findings, { area: AWS, ...NOT_ASKED }], statements: [] };
  const second = new SecondLook(deps, contact);
  const classes = await second.nodeClasses();
  const found = await runChecks(second.checks(classes), limits);
  const { findings, statements } = second.permissions();
  return { findings: [...contact.findings, ...found.map(asTolerated), ...findings.map(placed)], statements };
}

const placed = (finding: Finding): PlacedFinding => ({ area: PERMISSIONS, ...finding });

/** What AWS does not answer about one permission is no more than that: the others are told all the same. */
const asTolerated = (finding: PlacedFinding): PlacedFinding =>
  finding.area === PERMISSIONS && finding.verdict === 'fail' ? { ...finding, verdict: 'warn' } : finding;

/** What is asked once AWS answers. */
class SecondLook {
  readonly #deps: AwsDoctorDeps;
  readonly #contact: FirstContact;
  readonly #outcomes: Outcome[] = [];
  readonly #late = new Set<string>();
  readonly #roleARNs = new Set<string>();

  constructor(deps: AwsDoctorDeps, contact: FirstContact) {
    this.#deps = deps;
    this.#contact = contact;
  }

  /** Those of the cluster, or why there are none. */
  async nodeClasses(): Promise<readonly EC2NodeClass[] | string> {
    const { cluster, limits } = this.#deps;
    if (!cluster) return 'there is no cluster to read them from';
    try {
      return (await cluster.client.list(Ec2NodeClasses, {}, limits.signal)).items;
    } catch (error) {
      limits.signal.throwIfAborted();
      if (error instanceof ApiError && error.code === 404) return 'the cluster has no definition of EC2NodeClass';
      return `they can’t be listed: ${errorSummary(error)}`;
    }
  }

  checks(classes: readonly EC2NodeClass[] | string): readonly Check[] {
    const known = typeof classes === 'string' ? [] : classes;
    const eks = this.#askEks(known);
    const subnetID = known.flatMap(({ status }) => status?.subnets ?? [])[0]?.id;
    return [
      this.#clusterCheck(eks),
      this.#queueCheck(),
      ...this.#zonalShiftChecks(eks),
      ...(typeof classes === 'string' || classes.length === 0 ? [noClasses(classes)] : []),
      ...known.map((nodeClass) => this.#classCheck(nodeClass, eks)),
      ...[...readProbes(this.#deps), ...writeProbes(this.#deps, this.#contact.dryRuns, subnetID)].map((probe) =>
        this.#probeCheck(probe),
      ),
    ];
  }

  permissions() {
    const { options } = this.#deps;
    const { findings, statements } = permissionReport(this.#outcomes, this.#scope(), options.enableZonalShift);
    return { findings: findings.filter(({ check }) => !this.#late.has(check)), statements };
  }

  /** EKS is asked only where a controller would ask it. */
  async #askEks(classes: readonly EC2NodeClass[]): Promise<EksAnswer> {
    const { options, apis, limits } = this.#deps;
    const { clusterName: name } = options;
    const isNeeded =
      options.clusterEndpoint === '' ||
      options.eksControlPlane ||
      options.enableZonalShift ||
      classes.some((nodeClass) => amiFamilyOf(nodeClass) === 'AL2023');
    if (name === '' || !isNeeded) {
      const why = name === '' ? 'the cluster has no name' : 'nothing here needs EKS';
      this.#outcomes.push(untried(DESCRIBE_CLUSTER, why));
      return undefined;
    }
    try {
      const { cluster = {} } = await apis.eks.describeCluster({ name }, { signal: limits.signal, once: true });
      this.#outcomes.push({ action: DESCRIBE_CLUSTER, kind: 'allowed' });
      return { cluster };
    } catch (error) {
      this.#outcomes.push(outcomeOf(DESCRIBE_CLUSTER, error));
      return { error };
    }
  }

  #clusterCheck(eks: Promise<EksAnswer>): Check {
    return { area: AWS, name: 'EKS', run: async () => clusterFindings(this.#deps, await eks) };
  }

  #queueCheck(): Check {
    return {
      area: AWS,
      name: 'interruption queue',
      steps: 2,
      run: async (signal) => {
        const { findings, outcomes } = await queueResult(this.#deps, signal);
        this.#outcomes.push(...outcomes);
        return findings;
      },
    };
  }

  #zonalShiftChecks(eks: Promise<EksAnswer>): readonly Check[] {
    const { options, apis } = this.#deps;
    if (!options.enableZonalShift) return [];
    const check = 'zonal shift';
    const run = async (signal: AbortSignal): Promise<readonly Finding[]> => {
      const answer = await eks;
      const resourceIdentifier = answer && 'cluster' in answer ? answer.cluster.arn : undefined;
      if (!resourceIdentifier) return [skipped(check, 'EKS does not tell the ARN of the cluster')];
      try {
        await apis.arcZonalShift.getManagedResource({ resourceIdentifier }, { signal });
        this.#outcomes.push({ action: ZONAL_SHIFT, kind: 'allowed' });
        return [pass(check, 'the cluster is enabled for it')];
      } catch (error) {
        const outcome = outcomeOf(ZONAL_SHIFT, error);
        this.#outcomes.push(outcome);
        if (outcome.kind === 'denied') return [skipped(check, 'ARC may not be asked: see the permissions')];
        const fix = ['enable zonal shift for the cluster in EKS', 'no --enable-zonal-shift'];
        return [fail(check, `the controller would not start: ${errorSummary(error)}`, { fix })];
      }
    };
    return [{ area: AWS, name: check, steps: 2, run }];
  }

  #classCheck(nodeClass: EC2NodeClass, eks: Promise<EksAnswer>): Check {
    const area = `EC2NodeClass ${nodeClass.metadata.name}`;
    return {
      area,
      name: area,
      steps: STEPS_OF_A_CLASS,
      run: async (signal) => {
        const kubernetesVersion = /^v(\d+\.\d+)/.exec(this.#deps.cluster?.version ?? '')?.[1] ?? '';
        const deps = { ...this.#deps, kubernetesVersion, eks, dryRuns: this.#contact.dryRuns };
        const { findings, outcomes, roleARN } = await nodeClassResult(nodeClass, deps, signal);
        this.#outcomes.push(...outcomes);
        if (roleARN !== undefined) this.#roleARNs.add(roleARN);
        return findings;
      },
    };
  }

  #probeCheck({ action, run }: Probe): Check {
    return {
      area: PERMISSIONS,
      name: action,
      steps: 2,
      run: async (signal) => {
        this.#late.add(action);
        this.#outcomes.push(await run(signal));
        this.#late.delete(action);
        return [];
      },
    };
  }

  /** With the names of this account where they are known. */
  #scope(): PolicyScope {
    const { region, options } = this.#deps;
    const { caller } = this.#contact;
    const partition = caller?.arn.split(':')[1] || partitionOf(region);
    const accountID = caller?.account || '*';
    const clusterName = options.clusterName || '*';
    const [roleARN] = this.#roleARNs;
    return {
      ...{ partition, region, accountID, clusterName },
      nodeRoleARN: roleARN ?? `arn:${partition}:iam::${accountID}:role/KarpenterNodeRole-${clusterName}`,
      queueARN: `arn:${partition}:sqs:${region}:${accountID}:${options.interruptionQueue || clusterName}`,
    };
  }
}

function noClasses(classes: readonly EC2NodeClass[] | string): Check {
  const area = 'EC2NodeClasses';
  const check = 'EC2NodeClasses';
  const finding =
    typeof classes === 'string'
      ? skipped(check, classes)
      : skipped(check, 'there are none, so subnets, security groups, AMIs and roles can’t be looked at');
  return { area, name: check, run: async () => [finding] };
}

const partitionOf = (region: string): string =>
  region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
