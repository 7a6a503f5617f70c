/** What a pass decides beside where pods go: who may not take part, which overlays are in force, what would be created. */

import { KwokNodeClasses } from '../../kwok-provider/apis/kwok-node-class.ts';
import type { CapacityBuffer } from '../../src/apis/capacity-buffer.ts';
import { LABEL_NODEPOOL } from '../../src/apis/labels.ts';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { NodeOverlay } from '../../src/apis/node-overlay.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import type { LabelRules } from '../../src/apis/restricted-labels.ts';
import { staticNodeClaim, toNodeClaim } from '../../src/controllers/provisioning/to-node-claim.ts';
import { StaticProvisioning } from '../../src/controllers/static/provisioning.ts';
import type { KubeObject, Pod } from '../../src/kube/objects.ts';
import { SILENT } from '../../src/logging/logger.ts';
import { bufferOutcomes } from '../../src/scheduling/buffers/buffer-outcomes.ts';
import { provisioningCondition } from '../../src/scheduling/buffers/provisioning-condition.ts';
import { bufferOf, isVirtualPod } from '../../src/scheduling/buffers/virtual-pods.ts';
import type { Results, World } from '../../src/scheduling/index.ts';
import { evaluateOverlays } from '../../src/scheduling/overlays/evaluate-overlays.ts';
import { VirtualClock } from '../../src/simulation/virtual-clock.ts';
import { Cluster } from '../../src/state/cluster.ts';
import { instanceTypes } from './catalogues.ts';
import type { UpstreamSolve } from './oracle.ts';
import type { RandomWorld } from './random-world.ts';

export interface SideDecisions {
  /** Why pods don't take part, in words whose order is evened out. */
  readonly rejected: Readonly<Record<string, string>>;
  /** Empty for an overlay that is in force. */
  readonly overlays: Readonly<Record<string, string>>;
  /** Size of each buffer and what is said about it; absent while a claim is being launched, since then there is no pass. */
  readonly buffers: Readonly<Record<string, string>> | undefined;
  /** Claims of static pools; absent where upstream panics. */
  readonly staticClaims: readonly string[] | undefined;
  /** The objects that would be created for the new nodes; absent where upstream panics. */
  readonly claims: readonly string[] | undefined;
}

/** Of no interest, and upstream's flag of relaxed minValues, which all claims of a pool share. */
const LEFT_OUT = /nodepool-hash|min-values-relaxed/;
/** Labels whose value is left to chance. */
const ANY = '(any)';
const RANDOM = { next: () => 0.5, suffix: () => 'xxxxx' };

export async function ourSides(
  world: RandomWorld,
  frozen: World,
  results: Results,
  rules: LabelRules,
): Promise<SideDecisions> {
  const context = { wellKnownLabels: rules.wellKnownLabels, random: RANDOM };
  const planned = results.newNodeClaims.toSorted((a, b) => (firstPod(a.pods) < firstPod(b.pods) ? -1 : 1));
  return {
    rejected: Object.fromEntries(
      [...(results.rejected ?? [])]
        .filter(([pod]) => !isVirtualPod(pod))
        .map(([pod, { message }]) => [podName(pod), evened(message)]),
    ),
    overlays: world.gates?.nodeOverlay ? ourOverlays(world, frozen, rules) : {},
    buffers: world.gates?.capacityBuffer ? ourBuffers(world, frozen, results) : {},
    staticClaims: world.gates?.staticCapacity
      ? numbered((await ourStaticClaims(world, frozen, rules)).sort(byPool))
      : [],
    claims: numbered(planned.map((plan) => toNodeClaim(plan, context))),
  };
}

export function upstreamSides(answer: UpstreamSolve): SideDecisions {
  const { rejected = {}, overlays = {}, buffers = {}, staticClaims, staticPanics, claims } = answer;
  const launching = Object.values(buffers).some((b) => b.conditions.Provisioning === undefined);
  return {
    rejected: Object.fromEntries(Object.entries(rejected).map(([pod, text]) => [pod, evened(text)])),
    overlays: Object.fromEntries(Object.entries(overlays).map(([name, text]) => [name, evened(text)])),
    buffers: launching
      ? undefined
      : Object.fromEntries(
          Object.entries(buffers).map(([name, { replicas, conditions }]) => [
            name,
            `${replicas ?? 0} ${conditions.Provisioning}`,
          ]),
        ),
    staticClaims: staticPanics ? undefined : numbered((staticClaims ?? []).toSorted(byPool)),
    claims: claims?.includes(null) ? undefined : numbered((claims ?? []).filter((claim) => claim !== null)),
  };
}

/** What differs, a line each; what depends on where pods go only where both decided the same about that. */
export function sideDifferences(ours: SideDecisions, theirs: readonly SideDecisions[], samePlaces: boolean): string[] {
  const lines: string[] = [];
  const compare = (pick: (sides: SideDecisions) => readonly string[] | undefined): void => {
    const own = pick(ours) ?? [];
    const others = theirs.map(pick).filter((other) => other !== undefined);
    const [first = []] = others;
    if (others.length === 0 || others.some((other) => other.join('\n') === own.join('\n'))) return;
    lines.push(...own.filter((line) => !first.includes(line)).map((line) => `  ours      ${line}`));
    lines.push(...first.filter((line) => !own.includes(line)).map((line) => `  upstream  ${line}`));
  };
  compare(({ rejected }) =>
    Object.keys(rejected)
      .map((pod) => `rejected ${pod}`)
      .sort(),
  );
  compare(({ overlays }) => texts('overlay', overlays).map((line) => line.replace(/: .*/, '')));
  compare(({ staticClaims }) => staticClaims);
  if (!samePlaces) return lines;
  compare(({ buffers }) => buffers && texts('buffer', buffers));
  compare(({ claims }) => claims);
  return lines;
}

const texts = (what: string, record: Readonly<Record<string, string>>): string[] =>
  Object.entries(record)
    .map(([name, text]) => `${what} ${name} ${text}`)
    .sort();
const numbered = (claims: readonly NodeClaim[]): string[] =>
  claims.flatMap((claim, i) => claimLines(claim).map((line) => `claim ${i} ${line}`));
const byPool = (a: NodeClaim, b: NodeClaim): number =>
  (a.metadata.labels?.[LABEL_NODEPOOL] ?? '') < (b.metadata.labels?.[LABEL_NODEPOOL] ?? '') ? -1 : 1;
const podName = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;
const firstPod = (pods: readonly Pod[]): string => pods.map(podName).sort()[0] ?? '';
const evened = (text: string): string => text.split('; ').sort().join('; ');

function ourOverlays(world: RandomWorld, frozen: World, rules: LabelRules): Record<string, string> {
  const overlays = ofKind<NodeOverlay>(world.objects, 'NodeOverlay');
  const pools = frozen.pools.map(({ nodePool }) => ({ nodePool, instanceTypes: instanceTypes(world.catalogue) }));
  const { refused } = evaluateOverlays(overlays, pools, rules);
  return Object.fromEntries(
    overlays.map(({ metadata: { name } }) => {
      const refusal = refused.get(name);
      return [name, refusal ? evened(`${refusal.reason}: ${refusal.message}`) : ''];
    }),
  );
}

function ourBuffers(world: RandomWorld, frozen: World, results: Results): Record<string, string> {
  const outcomes = bufferOutcomes(results);
  return Object.fromEntries(
    ofKind<CapacityBuffer>(world.objects, 'CapacityBuffer').map((buffer) => {
      const key = `${buffer.metadata.namespace}/${buffer.metadata.name}`;
      const replicas = frozen.pods.filter((pod) => bufferOf(pod) === key).length;
      const isThere = world.objects.some((o) => o.metadata.name === buffer.metadata.name && o !== buffer);
      const ready = { type: 'ReadyForProvisioning', status: isThere ? 'True' : 'False' } as const;
      const condition = provisioningCondition(
        { ...buffer, status: { replicas, conditions: [ready] } },
        outcomes.get(key),
      );
      return [key, `${replicas} ${condition?.status} ${condition?.reason}: ${condition?.message}`];
    }),
  );
}

type Deps = ConstructorParameters<typeof StaticProvisioning>[0];

/** Has the controller look at every pool. */
async function ourStaticClaims(world: RandomWorld, frozen: World, rules: LabelRules): Promise<NodeClaim[]> {
  const created: NodeClaim[] = [];
  const pools = new Map(frozen.pools.map(({ nodePool }) => [nodePool.metadata.name, nodePool]));
  const cluster = new Cluster({ clock: new VirtualClock(frozen.now) });
  const context = { wellKnownLabels: rules.wellKnownLabels, random: RANDOM };
  const nodePools = {
    // At first no pool wants anything: what there is has been seen once before the claims of this world came.
    get: (name: string): NodePool | undefined => {
      const pool = pools.get(name);
      return created.length === 0 && !seen && pool ? { ...pool, spec: { ...pool.spec, replicas: 0 } } : pool;
    },
  };
  let seen = false;
  const controller = new StaticProvisioning({
    nodePools: nodePools as Deps['nodePools'],
    cloud: { supportedNodeClasses: () => [KwokNodeClasses] } as Partial<Deps['cloud']> as Deps['cloud'],
    cluster,
    log: SILENT,
    creator: {
      createStatic: async (pool) => {
        const claim = staticNodeClaim(pool, context);
        created.push(claim);
        return claim;
      },
    },
  });
  cluster.markHydrated();
  const { signal } = new AbortController();
  for (const name of pools.keys()) await controller.reconcile(name, signal);
  seen = true;
  for (const claim of ofKind<NodeClaim>(world.objects, 'NodeClaim')) cluster.updateNodeClaim(claim);
  for (const name of pools.keys()) await controller.reconcile(name, signal);
  return created;
}

function ofKind<T extends KubeObject>(objects: readonly KubeObject[], kind: string): readonly T[] {
  return objects.filter((object) => object.kind === kind) as readonly KubeObject[] as readonly T[];
}

/** All that matters of a claim, a line each. */
function claimLines({ metadata, spec }: NodeClaim): string[] {
  const { requirements = [], resources, taints = [], startupTaints = [], expireAfter, terminationGracePeriod } = spec;
  const isFixed = (key: string): boolean =>
    requirements.some((r) => r.key === key && r.operator === 'In' && r.values?.length === 1);
  const entries = (record: Readonly<Record<string, string>> | undefined) => Object.entries(record ?? {});
  return [
    ...entries(metadata.labels).map(([key, value]) => `label ${key}=${isFixed(key) ? value : ANY}`),
    ...entries(metadata.annotations).flatMap(([key, value]) =>
      LEFT_OUT.test(key) ? [] : [`annotation ${key}=${value}`],
    ),
    ...requirements.map(
      ({ key, operator, values = [], minValues }) =>
        `requirement ${key} ${operator} [${[...values].sort().join(' ')}] ${minValues ?? ''}`,
    ),
    ...Object.keys(resources?.requests ?? {}).map((name) => `requests ${name}`),
    `rest ${JSON.stringify({ taints, startupTaints, expireAfter, terminationGracePeriod })}`,
  ].sort();
}
