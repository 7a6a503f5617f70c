import { Args, Flags } from '@oclif/core';
import { EXIT } from '../src/cli/exit-codes.ts';
import { findNamed, withNamespace } from '../src/cli/find-named.ts';
import { inputFlags } from '../src/cli/flags/input-flags.ts';
import { tableFlags } from '../src/cli/flags/output-flags.ts';
import { nearest } from '../src/cli/nearest.ts';
import { notFound, type ObjectReference, parseReferences } from '../src/cli/object-reference.ts';
import { nodeClaimText } from '../src/cli/render/node-claim-text.ts';
import { nodeClassText } from '../src/cli/render/node-class-text.ts';
import { nodePoolText } from '../src/cli/render/node-pool-text.ts';
import { nodeText } from '../src/cli/render/node-text.ts';
import { podText } from '../src/cli/render/pod-text.ts';
import type { View } from '../src/cli/render/view.ts';
import type { Report } from '../src/cli/report.ts';
import { selectorFlag } from '../src/cli/selector-flag.ts';
import { UsageError } from '../src/cli/user-error.ts';
import { alikePods } from '../src/explain/alike-pods.ts';
import { explainNodeClaim } from '../src/explain/node-claim-explanation.ts';
import { explainNode, type NodeExplanation } from '../src/explain/node-explanation.ts';
import { explainNodePool } from '../src/explain/node-pool-explanation.ts';
import { podName } from '../src/explain/plan-report.ts';
import { explainPod } from '../src/explain/pod-explanation.ts';
import { podsOfWorkload, type Workload } from '../src/explain/pods-of-workload.ts';
import type { Asked } from '../src/explain/told-targets.ts';
import type { Resource } from '../src/kube/client.ts';
import type { KubeObject, Pod } from '../src/kube/objects.ts';
import { DaemonSets, Deployments, Events, Jobs, NodeClaims, ReplicaSets, StatefulSets } from '../src/kube/resources.ts';
import { matchesRequirements } from '../src/kube/selectors.ts';
import { stateNodeName } from '../src/scheduling/state-node.ts';
import { nodeClassExplanations } from './explain-node-class.ts';
import { type ReadWorld, WorldCommand } from './world-command.ts';

/** Types that stand for their pods. */
const WORKLOADS: ReadonlyMap<string, Resource> = new Map<string, Resource>([
  ['deployment', Deployments],
  ['statefulset', StatefulSets],
  ['daemonset', DaemonSets],
  ['replicaset', ReplicaSets],
  ['job', Jobs],
]);

interface Explained {
  readonly report: Report;
  readonly text: (view: View) => string;
  /** Whether the answer is a good one, for `--exit-code`. */
  readonly good: boolean;
}

export default class Explain extends WorldCommand {
  static override summary = 'why a pod waits, why a node stays, what a claim or pool is up to';
  static override description = `Explains one object from the controller's own algorithm:

  pod         every rule that fails in each pool, nearest miss first, and edits that were tried and help;
              for a pod with a place: what else would do, and what was passed over
  node        what each disruption method makes of it, what keeps it, where its pods would go, what that saves
  nodeclaim   the steps of its life, where it is stuck and what to look at next, drift, expiry, what becomes of it
  nodepool    whether it can buy anything and what, its turn, limits, budgets worked out, the pods that wait on it
  nodeclass   why it is not ready and what to do about it, the subnets, groups, images and reservations that it has found,
              who uses it, what is sold out, which nodes have drifted from it
  deployment, statefulset, daemonset, replicaset, job: its pods, one of each state`;
  static override usage = 'explain TYPE NAME... [flags]';
  static override examples = [
    '{bin} explain pod default/web-0',
    '{bin} explain pods -l app=web',
    '{bin} explain deployment/web',
    '{bin} explain pod web-0 --pool general --all-types',
    '{bin} explain node/worker-1',
    '{bin} explain pod gpu-job --from examples/saved-cluster',
    '{bin} explain nodeclass gpu --from examples/saved-ec2-cluster --quiet',
  ];
  static override strict = false;
  static override args = {
    type: Args.string({
      description: 'pod, node, nodeclaim, nodepool, nodeclass, or what has pods: deployment, …; or TYPE/NAME',
      required: true,
    }),
  };
  static override flags = {
    ...tableFlags,
    ...inputFlags,
    selector: Flags.string({
      char: 'l',
      description: 'pods with these labels, one of each owner and state',
      helpValue: 'SELECTOR',
    }),
    pool: Flags.string({
      description: 'of a pod: tell about this NodePool only (repeatable)',
      helpValue: 'NAME',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'all-types': Flags.boolean({
      description: 'of a pod: every instance type of each pool, with what refuses it',
    }),
    'exit-code': Flags.boolean({ description: 'exit 3 when the pod fits nowhere, or the object is not healthy' }),
  };

  async run(): Promise<number> {
    const { argv, flags } = await this.parse(Explain);
    const words = argv.map(String);
    const named = flags.selector === undefined ? parseReferences(words) : undefined;
    const selected = named ? undefined : selectionOf(words, flags.selector);
    const workloads = (named ?? []).flatMap(({ type }) => WORKLOADS.get(type.name) ?? []);
    const world = await this.readWorld(flags, [Events, ...new Set(workloads)]);
    const told = { pools: flags.pool?.map((name) => this.poolNamed(name, world)), allTypes: flags['all-types'] };
    const view = this.view(flags, world.analysis.world.now);
    const all = selected
      ? this.selected(selected, world, told, flags.namespace)
      : (named ?? []).flatMap((ref) => this.explain(ref, world, told, flags.namespace));
    if (all.length === 0) this.say('No pods found.');
    let good = true;
    for (const [i, explain] of all.entries()) {
      const explained = await explain();
      if (i > 0) this.print(flags.output === 'yaml' ? '---\n' : '\n');
      await this.answer(explained.report, flags, () => explained.text(view));
      good &&= explained.good;
    }
    return flags['exit-code'] && !good ? EXIT.negative : EXIT.done;
  }

  /** One pod of each owner and state that the selector finds. */
  private selected(
    requirements: ReturnType<typeof selectorFlag>,
    world: ReadWorld,
    told: Asked,
    flag: string | undefined,
  ): readonly (() => Explained)[] {
    const namespace = flag ?? world.namespace;
    const pods = world.analysis.world.pods.filter(
      ({ metadata }) =>
        (namespace === undefined || (metadata.namespace ?? 'default') === namespace) &&
        matchesRequirements(requirements, metadata.labels),
    );
    return this.alike(pods, world, told);
  }

  /** Those of a Deployment or the like, in the same way. */
  private workload(
    ref: ObjectReference,
    resource: Resource,
    world: ReadWorld,
    told: Asked,
    flag: string | undefined,
  ): readonly (() => Explained)[] {
    const all = world.objects.of<Workload>(resource as Resource<Workload>);
    const found = findNamed(ref, all, flag ?? world.namespace);
    if (!found)
      throw notFound({ ...ref, ...withNamespace(ref, flag ?? world.namespace) }, all.map(fullName), this.config.bin);
    return this.alike(podsOfWorkload(found, world.analysis.world.pods), world, told);
  }

  private alike(pods: readonly Pod[], world: ReadWorld, told: Asked): readonly (() => Explained)[] {
    return alikePods(pods).flatMap(([first, ...others]) =>
      first ? [() => this.explainPod(first, world, told, others.map(podName).sort())] : [],
    );
  }

  private explain(
    ref: ObjectReference,
    world: ReadWorld,
    told: Asked,
    namespace: string | undefined,
  ): readonly (() => Explained | Promise<Explained>)[] {
    const workload = WORKLOADS.get(ref.type.name);
    if (workload) return this.workload(ref, workload, world, told, namespace);
    switch (ref.type.name) {
      case 'pod':
        return [() => this.pod(ref, world, told, namespace)];
      case 'node':
        return [() => this.node(ref, world)];
      case 'nodeclaim':
        return [() => this.nodeClaim(ref, world)];
      case 'nodeclass':
      case 'ec2nodeclass':
      case 'kwoknodeclass':
        return nodeClassExplanations(ref, world, this.config.bin, this.signal).map((explain) => async () => {
          const report = await explain();
          const good = report.problems.length === 0 && isHealthy(report.conditions);
          return { report, text: (view) => nodeClassText(report, view), good };
        });
      default:
        return [() => this.nodePool(ref, world)];
    }
  }

  private pod(ref: ObjectReference, read: ReadWorld, told: Asked, flag: string | undefined): Explained {
    return this.explainPod(this.podNamed(ref, read, flag), read, told);
  }

  private explainPod(
    pod: Pod,
    { analysis, objects }: ReadWorld,
    told: Asked,
    alike: readonly string[] = [],
  ): Explained {
    const { world, solve, wellKnown } = analysis;
    const closest = (value: string, candidates: readonly string[]) => nearest(value, candidates, 1)[0];
    const events = objects.of(Events);
    const pending = analysis.pending();
    const explained = explainPod({ pod, world, pending, solve, wellKnown, closest, events, ...told });
    const report = alike.length > 0 ? { ...explained, alike } : explained;
    return { report, text: (view) => podText(report, view), good: report.state !== 'NoPlace' };
  }

  private node(ref: ObjectReference, { analysis }: ReadWorld): Explained {
    const { world } = analysis;
    const node = world.nodes.find((candidate) => stateNodeName(candidate) === ref.name);
    if (!node) throw notFound(ref, world.nodes.map(stateNodeName), this.config.bin);
    const report = explainNode({ node, analysis });
    return { report, text: (view) => nodeText(report, view), good: report.command === null && !isHeld(report) };
  }

  private nodeClaim(ref: ObjectReference, { analysis, objects }: ReadWorld): Explained {
    const claims = objects.of(NodeClaims);
    const nodeClaim = claims.find(({ metadata }) => metadata.name === ref.name);
    if (!nodeClaim)
      throw notFound(
        ref,
        claims.map(({ metadata }) => metadata.name),
        this.config.bin,
      );
    const report = explainNodeClaim({ nodeClaim, analysis, events: objects.of(Events) });
    const good = report.stuck === null && !isHeld(report) && isHealthy(report.conditions);
    return { report, text: (view) => nodeClaimText(report, view), good };
  }

  private nodePool(ref: ObjectReference, { analysis, objects, market }: ReadWorld): Explained {
    const { world } = analysis;
    const pool = world.pools.find(({ nodePool }) => nodePool.metadata.name === ref.name);
    if (!pool)
      throw notFound(
        ref,
        world.pools.map(({ nodePool }) => nodePool.metadata.name),
        this.config.bin,
      );
    const report = explainNodePool({
      pool,
      analysis,
      objects: objects.all,
      rules: { restrictedLabelDomains: new Set(), ...market.rules },
      events: objects.of(Events),
    });
    const good = report.problems.length === 0 && isHealthy(report.conditions);
    return { report, text: (view) => nodePoolText(report, view), good };
  }
}

/** `pods -l SELECTOR`: of a type whose objects the selector can choose from. */
function selectionOf(words: readonly string[], selector: string | undefined): ReturnType<typeof selectorFlag> {
  const [type = '', ...names] = words;
  if (names.length > 0 || !['pod', 'pods', 'po'].includes(type.toLowerCase())) {
    throw new UsageError('--selector chooses among pods, and takes no names', { hints: ['explain pods -l app=web'] });
  }
  return selectorFlag(selector);
}

const fullName = ({ metadata: { namespace = 'default', name } }: KubeObject): string => `${namespace}/${name}`;

/** It is to go, and something keeps it from going. */
function isHeld({ leaving }: Pick<NodeExplanation, 'leaving'>): boolean {
  return leaving?.pods.some(({ keptBy }) => keptBy !== undefined) ?? false;
}

function isHealthy(conditions: readonly { readonly healthy: boolean }[]): boolean {
  return conditions.every(({ healthy }) => healthy);
}
