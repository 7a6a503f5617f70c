import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cli } from '../support/run-cli.ts';

const SAVED = ['--from', 'examples/saved-cluster', '--now', '2026-03-01T12:00:00Z'];

async function run(...args: readonly string[]) {
  await using program = await cli();
  return program.run([...args, ...SAVED]);
}

async function json<T>(...args: readonly string[]): Promise<T> {
  // Quiet: a slow machine would have progress to tell.
  const { stdout, stderr } = await run(...args, '-o', 'json', '-q');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as T;
}

describe('a manifest', () => {
  it('holds pods that wait for a node, though no scheduler has seen them', async () => {
    await using program = await cli();
    const input = JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'new' },
      spec: { containers: [{ name: 'a', resources: { requests: { cpu: '100' } } }] },
    });
    const { stdout } = await program.run(['plan', ...SAVED, '--from', '-', '-o', 'json'], { input });
    expect(Object.keys((JSON.parse(stdout) as { podErrors: object }).podErrors)).toContain('default/new');
  });
});

describe('the saved example cluster', () => {
  it('has its pools, prices and pending pods on one screen', async () => {
    const { stdout } = await run('status');
    expect(stdout).toMatch(/^NODEPOOL +READY +NODES +CAPACITY +CPU +MEMORY +PRICE +LIMITS +BUDGET$/m);
    expect(stdout).toMatch(/^general +True +4 +4 on-demand +11\.5\/28 41% .*cpu 28\/40 +2$/m);
    expect(stdout).toContain('Pending pods');
    expect(stdout).not.toContain('\u001B');
  });

  it('names a ready pool that can buy nothing all the same', async () => {
    expect((await run('status')).stdout).not.toContain('x general');
    await using program = await cli();
    const impossible = await program.run(['status', ...SAVED, '--from', 'examples/impossible-pool.yaml', '-q']);
    expect(impossible.stdout).toMatch(/^general +True /m);
    expect(impossible.stdout).toMatch(/^ {2}x general {2}it can buy nothing: its requirements contradict each other/m);
    expect(impossible.stdout).toContain('more: kubectl karpenter explain nodepool general');
  });

  it('is narrowed by the labels of its pools', async () => {
    const { stdout } = await run('status', '-l', 'team=data', '--no-headers');
    expect(stdout.split('\n')[0]).toMatch(/^batch /);
    expect(stdout).not.toContain('general ');
  });

  it('gets one node for the pod that fits nowhere yet', async () => {
    const plan = await json<{ newNodeClaims: { pods: string[] }[]; podErrors: object }>('plan');
    expect(plan.newNodeClaims.map(({ pods }) => pods)).toEqual([['default/web-4']]);
    expect(Object.keys(plan.podErrors)).toEqual(['default/arm-build', 'default/gpu-job', 'default/huge']);
  });

  it('would buy the cheapest offer, and says what comes next if it is sold out', async () => {
    type Offer = { readonly instanceType: string; readonly zones: string[]; readonly price: number };
    const { newNodeClaims } = await json<{ newNodeClaims: { offers: Offer[]; cheapestPrice: number }[] }>('plan');
    const [{ offers = [], cheapestPrice } = {}] = newNodeClaims;
    expect(offers[0]).toMatchObject({ instanceType: 'c-4x-amd64-linux', price: cheapestPrice });
    // The pod's spread leaves it one zone.
    expect(offers[0]?.zones).toEqual(['test-zone-d']);
    const prices = offers.map(({ price }) => price);
    expect(prices).toEqual(prices.toSorted((a, b) => a - b));
  });

  it('costs what NodeOverlays say, if their gate is on or a controller has judged them', async () => {
    await using program = await cli();
    const file = join(program.home, 'overlay.json');
    const claims = async (overlay: object, ...args: readonly string[]) => {
      const base = { apiVersion: 'karpenter.sh/v1alpha1', kind: 'NodeOverlay', metadata: { name: 'o' } };
      await writeFile(file, JSON.stringify({ ...base, spec: { requirements: [], price: '0.125' }, ...overlay }));
      const { stdout } = await program.run(['plan', ...SAVED, '--from', file, '-o', 'json', ...args]);
      return (JSON.parse(stdout) as { newNodeClaims: { cheapestPrice: number }[] }).newNodeClaims;
    };
    const judged = { status: { conditions: [{ type: 'ValidationSucceeded', status: 'True' }] } };
    expect((await claims({}))[0]?.cheapestPrice).not.toBe(0.125);
    expect((await claims({}, '--feature-gates', 'NodeOverlay=true'))[0]?.cheapestPrice).toBe(0.125);
    expect((await claims(judged))[0]?.cheapestPrice).toBe(0.125);
    expect((await claims(judged, '--feature-gates', 'NodeOverlay=false'))[0]?.cheapestPrice).not.toBe(0.125);
  });

  it('keeps the room of a CapacityBuffer, if its gate is on', async () => {
    await using program = await cli();
    const file = join(program.home, 'buffer.json');
    const containers = [{ name: 'main', image: 'pause', resources: { requests: { cpu: '100' } } }];
    const objects = [
      { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'unit' }, template: { spec: { containers } } },
      {
        apiVersion: 'autoscaling.x-k8s.io/v1beta1',
        kind: 'CapacityBuffer',
        metadata: { name: 'headroom' },
        spec: { podTemplateRef: { name: 'unit' }, replicas: 1 },
      },
    ];
    await writeFile(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    const planned = async (gates: string) => {
      const args = ['plan', ...SAVED, '--from', file, '-o', 'json', '--feature-gates', gates];
      return (await program.run(args)).stdout.includes('capacity-buffer-headroom-1');
    };
    expect([await planned('CapacityBuffer=true'), await planned('CapacityBuffer=false')]).toEqual([true, false]);
  });

  it('tells scripts that pods have no place', async () => {
    expect((await run('plan', '--exit-code')).code).toBe(3);
  });

  it('gives each pod that a pass has no time for its place in the next one', async () => {
    const { podErrors } = await json<{ podErrors: Record<string, { code: string; message: string }> }>(
      'plan',
      '--pass-time',
      '0s',
    );
    const waiting = Object.entries(podErrors).filter(([, { code }]) => code === 'NotReached');
    expect(waiting.map(([pod, { message }]) => `${pod} ${/place .*/.exec(message)?.[0]}`)).toEqual([
      'default/arm-build place 2 of 3 in the next one',
      'default/etl-2 place 1 of 3 in the next one',
      'default/web-4 place 3 of 3 in the next one',
    ]);
  });

  it('has a node to save on, and says what keeps the others', async () => {
    const report = await json<{
      chosen: { candidates: string[]; savings: { hourly: number } };
      blocked: Record<string, { code: string; objects: string[] }[]>;
    }>('consolidate', '--dry-run');
    expect(report.chosen.savings.hourly).toBeGreaterThan(0);
    expect(report.blocked['general-3']?.[0]).toMatchObject({
      code: 'PodDisruptionBudget',
      objects: expect.arrayContaining(['PodDisruptionBudget/default/db']),
    });
    expect(report.blocked['batch-2']?.[0]).toMatchObject({ code: 'DoNotDisruptPod' });
    expect(Object.keys(report.blocked)).not.toContain(report.chosen.candidates[0]);
  });

  it('is followed step by step until nothing is left, with what all steps save and disrupt', async () => {
    interface Totals {
      readonly hourly: number;
      readonly podsDisrupted: number;
      readonly nodesRemoved: number;
    }
    interface Next {
      readonly finished: boolean;
      readonly steps: { command: { candidates: string[]; savings: { hourly: number } }; total: Totals }[];
    }
    const { next } = await json<{ next: Next }>('consolidate', '--dry-run');
    expect(next.finished).toBe(true);
    expect(next.steps.map(({ command }) => command.candidates)).toEqual([['general-1'], ['general-2']]);
    const saved = next.steps.reduce((sum, { command }) => sum + command.savings.hourly, 0);
    expect(next.steps.at(-1)?.total).toMatchObject({ podsDisrupted: 5, nodesRemoved: 2 });
    expect(next.steps.at(-1)?.total.hourly).toBeCloseTo(saved);
    const cut = await json<{ next: Next }>('consolidate', '--dry-run', '--steps', '1');
    expect(cut.next).toMatchObject({ finished: false, steps: [{ command: { candidates: ['general-1'] } }] });
    const frugal = await json<{ next: Next }>('consolidate', '--dry-run', '--min-savings', '60%');
    expect(frugal.next).toEqual({ finished: true, steps: [] });
  });

  it('names in plain words what keeps a node, what that costs, and what would keep it next', async () => {
    const report = await json<{
      blocked: Record<string, { why?: string; message: string; event: string }[]>;
      couldSave: Record<string, { hourly: number; price: number; then: string[] }>;
    }>('consolidate', '--dry-run');
    expect(report.blocked['general-3']).toEqual([
      expect.objectContaining({
        why: 'pod default/db-0 may not be evicted: PodDisruptionBudget default/db allows 0 disruptions: 1 healthy, 1 wanted',
        message: 'Pdb prevents pod evictions (PodDisruptionBudget=[default/db])',
        event: 'DisruptionBlocked',
      }),
    ]);
    expect(report.couldSave['general-3']).toMatchObject({ hourly: 0, keptBy: ['NeedsSeveralNodes'] });
    expect(report.couldSave['general-3']?.price).toBeCloseTo(0.2344, 3);
    expect(report.blocked['general-4']?.[0]?.why).toContain(
      'pods that wait anyway (default/web-4) need c-4x-amd64-linux',
    );
  });

  it('says what several nodes at once come to, and whether that is ever tried', async () => {
    interface Together {
      readonly command: null;
      readonly blockers: { node: string | null; code: string; why: string }[];
      readonly turn: { positions: Record<string, number>; smallestAttempt: number | null };
    }
    const merge = async (...nodes: string[]) => {
      const flags = nodes.flatMap((node) => ['--node', node]);
      return (await json<{ together: Together }>('consolidate', '--dry-run', '--together', ...flags)).together;
    };
    expect(await merge('general-1', 'batch-1')).toMatchObject({
      command: null,
      blockers: [{ node: null, code: 'NeedsSeveralNodes' }],
      turn: { positions: { 'batch-1': 1, 'general-1': 2 }, smallestAttempt: 2 },
    });
    const held = await merge('general-1', 'general-3');
    expect(held.turn.smallestAttempt).toBeNull();
    expect(held.blockers).toMatchObject([{ node: 'general-3', code: 'PodDisruptionBudget' }]);
    expect((await run('consolidate', '--dry-run', '--together', '--node', 'general-1')).code).toBe(2);
  });

  it('answers for chosen nodes and pools, and for moves that save enough', async () => {
    type Answer = {
      chosen: null | { podsDisrupted: number; savings: { hourly: number; hourlyPerPod: number } };
      chosenElsewhere: boolean;
      blocked: Record<string, { code: string }[]>;
    };
    const consolidate = (...flags: string[]) => json<Answer>('consolidate', '--dry-run', ...flags);
    const { chosen } = await consolidate('--node', 'general-1', '--min-savings', '50%');
    expect(chosen?.podsDisrupted).toBe(2);
    expect(chosen?.savings.hourlyPerPod).toBeCloseTo((chosen?.savings.hourly ?? 0) / 2);
    expect(await consolidate('--nodepool', 'batch')).toMatchObject({ chosen: null, chosenElsewhere: true });
    const { blocked, ...rest } = await consolidate('--nodepool', 'general', '--min-savings', '0.2');
    expect(rest).toMatchObject({ chosen: null, chosenElsewhere: false });
    expect(Object.keys(blocked)).toEqual(['general-1', 'general-2', 'general-3', 'general-4']);
    expect(blocked['general-1']).toMatchObject([{ code: 'SavesTooLittle' }]);
  });

  it.each([
    [['--node', 'general-9'], 1, 'error: node "general-9" not found'],
    [['--nodepool', 'generol'], 1, 'error: nodepool "generol" not found'],
    [['--min-savings', 'lots'], 2, 'error: --min-savings "lots" is neither'],
    [['--steps', 'few'], 2, 'error: --steps "few" is neither'],
  ])('refuses %j with a clear message', async (flags, code, message) => {
    const result = await run('consolidate', '--dry-run', ...flags);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });

  it('has a misspelt capacity type, and the fix was tried', async () => {
    const { stdout } = await run('explain', 'pod', 'gpu-job');
    expect(stdout).toContain('fits nowhere');
    expect(stdout).toContain("Karpenter's event FailedScheduling says\n  Failed to schedule pod, no valid values");
    expect(stdout).toContain('spec.nodeSelector["karpenter.sh/capacity-type"]: on_demand -> on-demand');
  });

  it('has a pool that would take an arm64 pod with one more value', async () => {
    const report = await json<{ targets: { name: string }[]; fixes: { edits: { to: string }[] }[] }>(
      'explain',
      'po/arm-build',
    );
    expect(report.fixes.flatMap(({ edits }) => edits.map(({ to }) => to))).toContain(
      'kubernetes.io/arch In [amd64 arm64]',
    );
  });

  it('shows where the pods of a node would go', async () => {
    const report = await json<{ removal: { pods: { pod: string; to: string }[] } }>('explain', 'no', 'batch-1');
    expect(report.removal.pods).toEqual([expect.objectContaining({ pod: 'default/etl-1', to: 'node' })]);
  });

  it('names the budget that keeps a pod from being evicted', async () => {
    const { stdout } = await run('explain', 'node', 'general-3');
    expect(stdout).toMatch(/^ +default\/db-0 .* PDB db /m);
  });

  it('explains a pod for one pool, with every instance type and what refuses it', async () => {
    const { stdout } = await run('explain', 'pod', 'huge', '--pool', 'batch', '--all-types');
    expect(stdout).toContain('nodepool/batch');
    expect(stdout).not.toContain('nodepool/general');
    expect(stdout).toContain('Instance types of nodepool/batch: 0 of 144 would hold it');
    expect(stdout).toMatch(/^ {2}c-1x-amd64-linux +- +too small: cpu 300 asked, 900m there, memory/m);
    expect(stdout).toMatch(/^ {2}c-1x-amd64-windows +- +not kubernetes\.io\/os In \[linux\]$/m);
    type Types = { readonly types: readonly { readonly instanceType: string; readonly offer?: object }[] };
    const report = await json<{ pools: string[]; instanceTypes: Types[] }>(
      'explain',
      'pod',
      'web-4',
      '--pool',
      'general',
      '--all-types',
    );
    expect(report.pools).toEqual(['general']);
    expect(report.instanceTypes[0]?.types[0]).toEqual({
      instanceType: 'c-4x-amd64-linux',
      offer: { capacityType: 'on-demand', price: expect.closeTo(0.1086) },
    });
    const misspelt = await run('explain', 'pod', 'huge', '--pool', 'genral');
    expect(misspelt.code).toBe(1);
    expect(misspelt.stderr).toContain('nodepool "genral" not found');
  });

  it('says when overlays or buffers are left out, and how they count', async () => {
    await using program = await cli();
    const asked = ['status', ...SAVED, '--from', 'examples/own-prices.yaml'];
    const { stderr } = await program.run(asked);
    expect(stderr).toContain("nodeoverlays (1) don't count");
    expect(stderr).toContain('--feature-gates NodeOverlay=true');
    expect((await program.run([...asked, '--feature-gates', 'NodeOverlay=true'])).stderr).toBe('');
  });

  it('explains a workload by its pods, one of each state', async () => {
    await using program = await cli();
    const workload = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'web' } }, template: { spec: { containers: [] } } },
    };
    const input = JSON.stringify(workload);
    const ask = (...words: string[]) => program.run(['explain', ...words, ...SAVED, '--from', '-'], { input });
    const { stdout } = await ask('deploy/web');
    expect(stdout).toContain('pod/default/web-1  runs on node/general-1');
    expect(stdout).toContain('pod/default/web-4  gets a new node');
    expect(stdout).not.toContain('pod/default/web-2  ');
    const misspelt = await ask('deployment', 'wev');
    expect(misspelt.stderr).toContain('deployment "wev" not found');
    expect(misspelt.stderr).toContain('explain deployment default/web');
  });

  it('explains pods by their labels, one of each owner and state', async () => {
    const { stdout, code } = await run('explain', 'pods', '-l', 'app=web');
    expect(code).toBe(0);
    expect(stdout.match(/^pod\/\S+ {2}.*$/gm)).toEqual([
      'pod/default/web-1  runs on node/general-1',
      'pod/default/web-4  gets a new node',
    ]);
    expect(stdout).toContain('  and 2 pods of the same owner: default/web-2, default/web-3\n');
    expect((await run('explain', 'node', '-l', 'app=web')).stderr).toContain('--selector chooses among pods');
  });

  it('offers the nearest name', async () => {
    const { code, stderr } = await run('explain', 'pod', 'web-9');
    expect(code).toBe(1);
    expect(stderr).toContain('error: pod "web-9" not found');
    expect(stderr).toContain('kubectl karpenter explain pod default/web-1');
  });

  it('explains several objects at once, claims and pools too', async () => {
    const { code, stdout } = await run('explain', 'nodeclaim/general-1', 'nodepool/general');
    expect(code).toBe(0);
    expect(stdout).toContain('Registered=True');
    expect(stdout).toContain('limit    cpu: 28 of 40 used, 12 left');
  });
});

describe('an edit to a pool of the saved cluster', () => {
  const diff = (...args: string[]) => run('plan', '--diff', '-f', ...args);

  it('is shown with its fields, the nodes that drift by it, and its cost, and exits 3', async () => {
    const { code, stdout } = await diff('examples/edited-pool.yaml', '-o', 'json');
    expect(code).toBe(3);
    const report = JSON.parse(stdout);
    expect(report.pools).toMatchObject([{ name: 'general', change: 'changed', problems: [], driftBudget: 1 }]);
    expect(report.drift.map(({ node }: { node: string }) => node)).toEqual([1, 2, 3, 4].map((n) => `general-${n}`));
    expect(report.drift[0]).toMatchObject({
      reason: 'NodePoolDrifted',
      already: false,
      fields: [
        { field: 'spec.template.spec.expireAfter', from: '720h', to: '168h' },
        { field: 'spec.template.spec.requirements[karpenter.sh/capacity-type]', from: 'on-demand', to: 'In [spot]' },
      ],
    });
    expect(report.replacements.newNodeClaims.length).toBeGreaterThan(0);
    expect(report.cost.hourly).toBeLessThan(0);
    expect(report.cost.after - report.cost.before).toBeCloseTo(report.cost.hourly);
  });

  it('that changes nothing says so, with defaults that the file leaves out', async () => {
    expect(await diff('examples/saved-cluster/node-pools.yaml')).toMatchObject({
      code: 0,
      stdout: 'No difference: the objects are as they are in the cluster.\n',
    });
  });

  it('that the API would refuse names the reason, and a new pool drifts nothing', async () => {
    await using program = await cli();
    const text = await readFile('examples/edited-pool.yaml', 'utf8');
    const input = text
      .replace('name: general', 'name: fresh')
      .replace('karpenter.sh/capacity-type', 'karpenter.sh/nodepool');
    const { code, stdout } = await program.run(['plan', '--diff', '-f', '-', ...SAVED], { input });
    expect(code).toBe(3);
    expect(stdout).toContain('nodepool/fresh  added');
    expect(stdout).toContain('the API would refuse it, so nothing changes: spec.template.spec.requirements[2].key');
    expect(stdout).toContain('label "karpenter.sh/nodepool" is restricted');
    expect(stdout).toContain('No node would drift.');
  });

  const pool = (spec: object) => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: {
      weight: 10,
      disruption: { consolidateAfter: '30s' },
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
        },
      },
      ...spec,
    },
  });
  const diffOf = async (...objects: readonly object[]) => {
    await using program = await cli();
    const input = objects.map((object) => JSON.stringify(object)).join('\n---\n');
    const { stdout, stderr } = await program.run(['plan', '--diff', '-f', '-', ...SAVED, '-o', 'json'], { input });
    expect(stderr).toBe('');
    return JSON.parse(stdout);
  };

  it('that turns a dynamic pool into a static one is refused by the API, and changes nothing', async () => {
    const { pools, drift, cost } = await diffOf(pool({ replicas: 2, weight: undefined }));
    expect(pools[0].refusals).toEqual([expect.stringContaining('Cannot transition NodePool between static')]);
    expect(drift).toEqual([]);
    expect(cost.hourly).toBe(0);
  });

  it('whose requirements contradict each other launches nothing, and nodes without a place for their pods stay', async () => {
    const template = pool({}).spec.template.spec;
    const requirements = ['amd64', 'arm64'].map((arch) => ({
      key: 'kubernetes.io/arch',
      operator: 'In',
      values: [arch],
    }));
    const { pools, drift, pods } = await diffOf(pool({ template: { spec: { ...template, requirements } } }));
    expect(pools[0].problems).toEqual([expect.stringContaining('have no value in common')]);
    const stuck = drift.find(({ node }: { node: string }) => node === 'general-2');
    expect(stuck).toMatchObject({ reason: 'RequirementsDrifted', blockers: [{ code: 'PodsUnschedulable' }] });
    expect(pods).toEqual({ gain: [], lose: ['default/web-4'] });
  });

  it('rolls in the windows that its budgets leave', async () => {
    const budgets = [{ nodes: '1' }, { nodes: '0', schedule: '0 11 * * *', duration: '3h' }];
    const { template } = pool({}).spec;
    const spec = { ...template.spec, expireAfter: '24h' };
    const { rolls } = await diffOf(pool({ disruption: { consolidateAfter: '30s', budgets }, template: { spec } }));
    expect(rolls).toMatchObject([
      {
        nodePool: 'general',
        method: 'Drift',
        nodes: 3,
        rounds: 3,
        steps: [{ from: '2026-03-01T14:00:00Z', atOnce: 1 }],
      },
    ]);
  });

  it('that never lets a drifted node go has no end', async () => {
    const budgets = [{ nodes: '0', reasons: ['Drifted'] }];
    const { template } = pool({}).spec;
    const spec = { ...template.spec, expireAfter: '24h' };
    const { rolls } = await diffOf(pool({ disruption: { consolidateAfter: '30s', budgets }, template: { spec } }));
    expect(rolls).toMatchObject([{ nodes: 3, steps: [], until: null, seconds: null }]);
  });

  it('that takes a pool away sends its nodes off at once, and leaves pods that only it can take without a place', async () => {
    const { stdout } = await run('plan', '--diff', '--delete', 'nodepool/batch', '-o', 'json');
    const { drift, rolls, pods } = JSON.parse(stdout);
    expect(drift).toMatchObject([
      { node: 'batch-1', reason: 'NodePoolDeleted', blockers: [] },
      { node: 'batch-2', reason: 'NodePoolDeleted', blockers: [{ code: 'DoNotDisruptPod' }] },
    ]);
    expect(rolls).toEqual([]);
    expect(pods.lose).toEqual(['default/etl-1', 'default/etl-2']);
  });

  it('may be of overlays and buffers, which change prices and room', async () => {
    const overlay = {
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'NodeOverlay',
      metadata: { name: 'half' },
      spec: { requirements: [], priceAdjustment: '-50%' },
    };
    const cheaper = await diffOf(overlay);
    expect(cheaper.cost.after / cheaper.cost.before).toBeCloseTo(0.5);
    expect(cheaper.assumptions).toHaveLength(1);
    const containers = [{ name: 'main', image: 'pause', resources: { requests: { cpu: '3' } } }];
    const template = {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 'unit' },
      template: { spec: { containers } },
    };
    const buffer = {
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata: { name: 'headroom' },
      spec: { podTemplateRef: { name: 'unit' }, replicas: 9 },
    };
    const larger = await diffOf(template, buffer);
    expect(larger.cost.hourly).toBeGreaterThan(0);
    // The pool's limit is reached: the buffer takes what a pod that waits would have had.
    expect(larger).toMatchObject({
      buffers: [{ buffer: 'default/headroom', existing: 4, new: 3, failed: 2 }],
      pods: { lose: ['default/web-4'] },
    });
  });

  it('may take an overlay away, so that its prices no longer count', async () => {
    await using program = await cli();
    const file = join(program.home, 'overlay.json');
    const overlay = {
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'NodeOverlay',
      metadata: { name: 'half' },
      spec: { requirements: [], priceAdjustment: '-50%' },
    };
    await writeFile(file, JSON.stringify(overlay));
    const args = ['plan', '--diff', '--delete', 'nodeoverlay/half', ...SAVED, '--from', file, '-o', 'json'];
    const { cost } = JSON.parse((await program.run(args)).stdout) as { cost: { before: number; after: number } };
    expect(cost.after / cost.before).toBeCloseTo(2);
  });

  it('offers the nearest name of what is to go', async () => {
    const { code, stderr } = await run('plan', '--diff', '--delete', 'nodepool/bach');
    expect(code).toBe(1);
    expect(stderr).toContain('try      kubectl karpenter plan --diff --delete nodepool/batch');
  });

  it.each([
    [['plan', '--diff', '--delete', 'nodepol/batch'], 2, '--delete nodepool/batch'],
    [['plan', '--diff'], 2, '--diff goes together with -f or --delete'],
    [['plan', '-f', 'examples/edited-pool.yaml'], 2, '--diff goes together with -f or --delete'],
    [['plan', '--diff', '-f', 'examples/inflate.yaml'], 1, 'no NodePool, NodeOverlay or CapacityBuffer in it'],
  ])('is asked for with %j in vain', async (args, code, message) => {
    const result = await run(...args);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
  });
});

describe('other input', () => {
  it('is read from standard input, and unknown kinds are mentioned once', async () => {
    await using program = await cli();
    const input = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n';
    const { code, stdout, stderr } = await program.run(['plan', '--from', '-'], { input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Nothing to do: no pod waits for a node.\n' });
    expect(stderr).toBe('ignored objects of unknown kinds: Widget (1)\n');
  });

  it('that is malformed is named with file, document and line', async () => {
    await using program = await cli();
    const file = join(program.home, 'broken.yaml');
    await writeFile(file, 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\nkind: [\n');
    const { code, stdout, stderr } = await program.run(['plan', '--from', file]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^error: .*broken\.yaml: document 2, line \d+, column \d+: not valid YAML/);
  });

  it('of instance types is checked', async () => {
    await using program = await cli();
    const file = join(program.home, 'types.json');
    await writeFile(file, '[{"name": "a"}]');
    const { code, stderr } = await program.run(['plan', '--from', 'examples/saved-cluster', '--instance-types', file]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: .*types\.json: \[0\]/);
    expect(stderr).toContain('KE1104');
  });
});
