/** The story of the README, typed with the real kubectl against the program as users run it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { Event, Node, Pod } from '../../src/kube/objects.ts';
import { eventually, Shell } from './local-cluster.ts';

interface List<T> {
  readonly items: readonly T[];
}

describe('a local cluster', () => {
  let shell: Shell;
  const list = async <T>(kind: string): Promise<readonly T[]> =>
    (await shell.json<List<T>>(`kubectl get ${kind} -A`)).items;
  const running = async (): Promise<number> =>
    (await list<Pod>('pods')).filter((pod) => pod.status?.phase === 'Running').length;

  beforeAll(async () => {
    shell = await Shell.open();
    await shell.succeed('kubectl-karpenter up --local --detach');
  }, 120_000);

  afterAll(async () => {
    await shell.close();
  });

  it('is the current context of kubectl, and is there once only', async () => {
    expect(await shell.succeed('kubectl config current-context')).toBe('karpenter-local');
    const again = await shell.run('kubectl-karpenter', ['up', '--local', '--detach']);
    expect(again.stdout + again.stderr).toMatch(/already/);
  });

  it('makes nodes for a Deployment within seconds', async () => {
    await shell.succeed('kubectl apply -f examples/inflate.yaml');
    await shell.succeed('kubectl scale deployment/inflate --replicas 12');
    await eventually(running, (n) => n === 12, 30);
    const claims = await list<NodeClaim>('nodeclaims');
    expect(claims.length).toBeGreaterThan(0);
    expect((await list<Node>('nodes')).length).toBe(claims.length);
    await shell.succeed('kubectl rollout status deployment/inflate --timeout 20s');
    expect(await shell.succeed('kubectl karpenter status')).toContain('default');
  });

  it('says why a pod that no pool can take stays pending', async () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'mainframe' },
      spec: {
        nodeSelector: { 'kubernetes.io/arch': 's390x' },
        containers: [{ name: 'main', image: 'pause', resources: { requests: { cpu: '1' } } }],
      },
    };
    await shell.succeed('kubectl apply -f -', { input: JSON.stringify(pod) });
    const failed = (events: readonly Event[]): boolean =>
      events.some(
        (e) =>
          e.reason === 'FailedScheduling' &&
          e.involvedObject.name === 'mainframe' &&
          e.source?.component === 'karpenter',
      );
    await eventually(() => list<Event>('events'), failed, 30);
    const explanation = await shell.succeed('kubectl karpenter explain pod mainframe');
    expect(explanation).toContain('kubernetes.io/arch');
    expect(explanation).toContain('s390x');
    await shell.succeed('kubectl delete pod mainframe');
  });

  it('consolidates when the Deployment shrinks, and says so in events', async () => {
    const before = (await list<Node>('nodes')).reduce((sum, n) => sum + Number(n.status?.capacity?.cpu ?? 0), 0);
    await shell.succeed('kubectl scale deployment/inflate --replicas 2');
    const cpus = async (): Promise<number> =>
      (await list<Node>('nodes')).reduce((sum, n) => sum + Number(n.status?.capacity?.cpu ?? 0), 0);
    await eventually(cpus, (n) => n > 0 && n < before / 2, 90);
    await eventually(running, (n) => n === 2, 30);
    const reasons = new Set((await list<Event>('events')).map((e) => e.reason));
    expect(reasons).toContain('DisruptionTerminating');
    const report = await shell.json<{ kind: string }>('kubectl karpenter consolidate --dry-run');
    expect(report.kind).toBe('DisruptionReport');
  }, 180_000);

  it('refuses an invalid NodePool in the words of the API', async () => {
    const pool = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'wrong' },
      spec: {
        disruption: { consolidateAfter: '0s', consolidationPolicy: 'Sometimes' },
        template: {
          spec: {
            requirements: [],
            nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          },
        },
      },
    };
    const refused = await shell.run('kubectl', ['apply', '-f', '-'], { input: JSON.stringify(pool) });
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(
      'spec.disruption.consolidationPolicy: Unsupported value: "Sometimes": supported values: ',
    );
  });

  it('is gone after down, with its context', async () => {
    await shell.succeed('kubectl-karpenter down');
    expect(await shell.succeed('kubectl config get-contexts -o name')).not.toContain('karpenter-local');
    const status = await shell.run('kubectl-karpenter', ['down']);
    expect(status.exitCode).toBe(0);
  });
});
