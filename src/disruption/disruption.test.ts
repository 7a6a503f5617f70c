import { describe, expect, it } from 'vitest';
import { goes, pool, reasons, run, SMALL } from '../../test/factories/disruption.ts';
import { boundPod, disruptOptions, NOW, nodePool, runningNode, world } from '../../test/factories/index.ts';
import type { Condition } from '../kube/objects.ts';
import { stateNodeName } from '../scheduling/state-node.ts';
import type { StateNode, World } from '../scheduling/types.ts';
import { Disruption } from './disruption.ts';

describe('Drift', () => {
  const since = (lastTransitionTime: string): Condition => ({ type: 'Drifted', status: 'True', lastTransitionTime });

  it('7.7.1: replaces the longest drifted node first, but those with nothing to move before all', () => {
    const p = pool();
    const old = runningNode({ pool: p, name: 'old', conditions: [since('2026-02-01T00:00:00Z')] });
    const older = runningNode({ pool: p, name: 'older', conditions: [since('2026-01-15T00:00:00Z')] });
    const pods = [boundPod(old, { cpu: '7' }), boundPod(older, { cpu: '7' })];
    const busy = run(world({ pools: [p], nodes: [old, older], pods }), 'Drift');
    expect(goes(busy)).toEqual([['older']]);
    expect(busy.commands[0]).toMatchObject({ decision: 'replace', reason: 'Drifted' });
    const empty = runningNode({ pool: p, name: 'empty', conditions: [since('2026-03-01T00:00:00Z')] });
    expect(goes(run(world({ pools: [p], nodes: [old, older, empty], pods }), 'Drift'))).toEqual([['empty']]);
  });

  it('7.7.2: passes over a node whose pods have no other place, and takes the next', () => {
    const p = pool();
    const stuck = runningNode({ pool: p, name: 'stuck', conditions: [since('2026-01-15T00:00:00Z')] });
    const next = runningNode({ pool: p, name: 'next', conditions: [since('2026-02-01T00:00:00Z')] });
    const pods = [boundPod(stuck, { cpu: '5000' }), boundPod(next, { cpu: '7' })];
    const result = run(world({ pools: [p], nodes: [stuck, next], pods }), 'Drift');
    expect(goes(result)).toEqual([['next']]);
    expect(reasons(result, stuck)).toEqual(['PodsUnschedulable']);
  });

  it('7.7.2: does not care what the replacement costs', () => {
    const p = nodePool({
      metadata: { name: 'default' },
      spec: {
        template: {
          spec: {
            requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m-256x-amd64-linux'] }],
          },
        },
      },
    });
    const n = runningNode({ pool: p, name: 'n', conditions: [since('2026-02-01T00:00:00Z')] });
    const result = run(world({ pools: [p], nodes: [n], pods: [boundPod(n, SMALL)] }), 'Drift');
    expect(result.commands[0]?.savings).toBeLessThan(0);
  });
});

describe('StaticDrift', () => {
  const drifted = ['Drifted', 'Consolidatable'];

  it('7.8.1: replaces drifted nodes one for one from the template, within the node limit', () => {
    const p = pool({}, { replicas: 2, limits: { nodes: '3' } });
    const nodes = ['a', 'b'].map((name) => runningNode({ pool: p, name, conditions: drifted }));
    const result = run(world({ pools: [p], nodes }), 'StaticDrift');
    expect(goes(result)).toEqual([['a']]);
    expect(result.commands[0]?.replacements[0]?.instanceTypes).toEqual([]);
    expect(run(world({ pools: [p], nodes }), 'Drift').candidates).toEqual([]);
    expect(run(world({ pools: [p], nodes }), 'Emptiness').candidates).toEqual([]);
  });

  it('7.8.1: waits while the pool is scaling down', () => {
    const p = pool({}, { replicas: 1 });
    const nodes = ['a', 'b'].map((name) => runningNode({ pool: p, name, conditions: drifted }));
    expect(run(world({ pools: [p], nodes }), 'StaticDrift').commands).toEqual([]);
  });
});

describe('validation after the wait', () => {
  const p = pool();
  const [a, b] = ['a', 'b'].map((name) => runningNode({ pool: p, name })) as [StateNode, StateNode];
  const pods = [boundPod(a, SMALL), boundPod(b, SMALL)];
  const before = world({ pools: [p], nodes: [a, b], pods });
  const command = run(before, 'SingleNodeConsolidation').commands[0];
  const validate = (later: World) => {
    if (!command) throw new Error('there is nothing to validate');
    return new Disruption(later, disruptOptions()).validate(command);
  };

  it('7.11.7: passes what still holds', () => {
    expect(validate(before)).toHaveProperty('command');
  });

  it('7.11.7: fails with churn when the node is no candidate any more', () => {
    const protect = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
    const later = world({ pools: [p], nodes: [a, b], pods: [...pods, boundPod(a, SMALL, protect)] });
    expect(validate(later)).toMatchObject({ failure: 'churn' });
  });

  it('7.11.7: fails for the budget when another disruption has used it', () => {
    const tight = pool({ budgets: [{ nodes: '0' }] });
    expect(validate(world({ pools: [tight], nodes: [a, b], pods }))).toMatchObject({ failure: 'budget' });
  });

  it('7.11.7: fails when the pods no longer fit', () => {
    const full = [...pods, boundPod(b, { cpu: '7', memory: '1Gi' })];
    expect(validate(world({ pools: [p], nodes: [a, b], pods: full }))).toMatchObject({ failure: 'scheduling' });
  });

  it('7.11.7: fails with churn when a pending pod has been given the node, or one of several nodes has gone', () => {
    const nominated = { ...a, nominatedUntil: NOW + 1000 };
    expect(validate(world({ pools: [p], nodes: [nominated, b], pods }))).toMatchObject({ failure: 'churn' });
    const c = runningNode({ pool: p, name: 'c' });
    const three = world({ pools: [p], nodes: [a, b, c], pods: [...pods, boundPod(c, SMALL)] });
    const [several] = run(three, 'MultiNodeConsolidation').commands;
    if (!several) throw new Error('there is nothing to validate');
    expect(several.candidates.map(stateNodeName)).toEqual(['a', 'b', 'c']);
    expect(new Disruption(before, disruptOptions()).validate(several)).toEqual({
      failure: 'churn',
      message: '1 candidates are no longer valid',
    });
  });

  describe('of a replacement', () => {
    const dear = runningNode({ pool: p, name: 'dear', instanceType: 'm-16x-amd64-linux' });
    const small = boundPod(dear, SMALL);
    const [replace] = run(world({ pools: [p], nodes: [dear], pods: [small] }), 'SingleNodeConsolidation').commands;
    const again = (parts: Partial<Omit<World, 'pools'>>) => {
      if (!replace) throw new Error('there is nothing to validate');
      return new Disruption(world({ pools: [p], nodes: [dear], pods: [small], ...parts }), disruptOptions()).validate(
        replace,
      );
    };

    it('7.11.7: passes while its types still hold the pods', () => {
      expect(again({})).toHaveProperty('command.replacements.length', 1);
    });

    it('7.11.7: fails when the pods have grown out of some of its types', () => {
      const grown = { ...small, spec: boundPod(dear, { cpu: '3', memory: '1Gi' }).spec };
      expect(again({ pods: [grown] })).toEqual({
        failure: 'scheduling',
        message: 'scheduling simulation produced new results',
      });
    });

    it('7.11.7: fails when the pods fit on a node that has come', () => {
      expect(again({ nodes: [dear, a] })).toMatchObject({ failure: 'scheduling' });
    });
  });

  it('7.6.3: of emptiness fails with churn when no node is empty any more, and for the budget when none may go', () => {
    const [both] = run(world({ pools: [p], nodes: [a, b] }), 'Emptiness').commands;
    if (!both) throw new Error('two empty nodes were left alone');
    expect(new Disruption(before, disruptOptions()).validate(both)).toMatchObject({ failure: 'churn' });
    const closed = world({ pools: [pool({ budgets: [{ nodes: '0' }] })], nodes: [a, b] });
    expect(new Disruption(closed, disruptOptions()).validate(both)).toMatchObject({ failure: 'budget' });
    const one = world({ pools: [pool({ budgets: [{ nodes: '1' }] })], nodes: [a, b] });
    const validated = new Disruption(one, disruptOptions()).validate(both);
    expect('command' in validated && validated.command.candidates.map(stateNodeName)).toEqual(['a']);
  });

  it('7.6.3: of emptiness keeps the nodes that are still empty', () => {
    const none = world({ pools: [p], nodes: [a, b] });
    const both = run(none, 'Emptiness').commands[0];
    if (!both) throw new Error('two empty nodes were left alone');
    const later = new Disruption(world({ pools: [p], nodes: [a, b], pods: [boundPod(a, SMALL)] }), disruptOptions());
    const validated = later.validate(both);
    expect('command' in validated && validated.command.candidates.map(stateNodeName)).toEqual(['b']);
  });
});

describe('The verdict on a node with room for buffer pods', () => {
  const p = pool();
  const n = runningNode({ pool: p, name: 'n' });
  const codes = (pods: World['pods']) => {
    const options = { ...disruptOptions(), bufferNodes: new Set(['n']) };
    const verdict = new Disruption(world({ pools: [p], nodes: [n], pods }), options).verdict('n');
    return verdict.command ? verdict.command.decision : verdict.blockers.map(({ code }) => code);
  };

  it('is that they keep it, when it is empty', () => {
    expect(codes([])).toEqual(['HostsBufferPods']);
  });

  it('is of room and price, when it has pods of its own', () => {
    expect(codes([boundPod(n, { cpu: '5000' })])).toEqual(['PodsUnschedulable']);
  });
});
