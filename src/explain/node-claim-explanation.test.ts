import { describe, expect, it } from 'vitest';
import { KWOK_WELL_KNOWN_LABELS } from '../../kwok-provider/apis/labels.ts';
import { node, nodeClaim, nodePool, world } from '../../test/factories/index.ts';
import { ANNOTATION_NODEPOOL_HASH, ANNOTATION_NODEPOOL_HASH_VERSION, LABEL_NODEPOOL } from '../apis/labels.ts';
import type { NodeClaim } from '../apis/node-claim.ts';
import type { Condition } from '../kube/objects.ts';
import type { World } from '../scheduling/types.ts';
import { Analysis } from './analysis.ts';
import { explainNodeClaim } from './node-claim-explanation.ts';

const hashed = (hash: string, version = 'v3') => ({
  annotations: { [ANNOTATION_NODEPOOL_HASH]: hash, [ANNOTATION_NODEPOOL_HASH_VERSION]: version },
});
const explain = (ofPool: string, ofClaim: string, version?: string) => {
  const pool = nodePool({ metadata: hashed(ofPool), spec: { template: { spec: { expireAfter: '24h' } } } });
  const labels = { [LABEL_NODEPOOL]: pool.metadata.name };
  const { nodeClassRef } = pool.spec.template.spec;
  const claim = nodeClaim({
    metadata: { ...hashed(ofClaim, version), labels },
    spec: { expireAfter: '720h', nodeClassRef },
  });
  const analysis = new Analysis(world({ pools: [pool] }), { wellKnownLabels: new Set() });
  return explainNodeClaim({ nodeClaim: claim, analysis, events: [] });
};

it('a claim whose pool has another hash by now says which field drifted', () => {
  const { drift, notes } = explain('2', '1');
  expect(drift).toEqual([{ field: 'spec.template.spec.expireAfter', from: '720h', to: '24h' }]);
  expect(notes).toEqual(['the template of its NodePool has changed since the launch: it drifts']);
});

it('a claim with the hash of its pool has not drifted', () => {
  expect(explain('1', '1')).not.toHaveProperty('drift');
});

it('a hash of another version says nothing about drift, as to the controller', () => {
  expect(explain('2', '1', 'v2')).toMatchObject({ notes: [] });
});

describe('a claim that is stuck', () => {
  const created = '2026-03-04T11:58:00Z';
  const pool = nodePool({ metadata: { name: 'p' } });
  const labels = { [LABEL_NODEPOOL]: 'p' };
  const claimOf = (conditions: readonly Condition[], spec: object = {}) =>
    nodeClaim({
      metadata: { name: 'c', labels, creationTimestamp: created },
      spec,
      status: { providerID: 'kwok://c', conditions },
    });
  const stuck = (claim: NodeClaim, parts: Partial<World> = {}) =>
    explainNodeClaim({
      nodeClaim: claim,
      analysis: new Analysis(
        { ...world({ pools: [pool] }), ...parts },
        { wellKnownLabels: new Set(KWOK_WELL_KNOWN_LABELS) },
      ),
      events: [],
    });
  const is = (type: string, status: Condition['status'], more: Partial<Condition> = {}): Condition => ({
    type,
    status,
    lastTransitionTime: created,
    ...more,
  });

  it('in its launch says what the provider said, what it may become, and when it is given up', () => {
    const failed = is('Launched', 'Unknown', { reason: 'LaunchFailed', message: 'quota exceeded' });
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In' as const, values: ['arm64'] }];
    const report = stuck(claimOf([failed], { requirements, resources: { requests: { cpu: '100' } } }));
    expect(report.stages).toEqual([]);
    expect(report.stuck).toMatchObject({
      stage: 'Launched',
      waitsFor: ['LaunchFailed: quota exceeded'],
      givenUpAt: '2026-03-04T12:03:00Z',
    });
    expect(report.candidates?.cheapest[0]?.name).toMatch(/^[csm]-128x-arm64-/);
  });

  it('before its registration is given up after a quarter of an hour', () => {
    const report = stuck(claimOf([is('Launched', 'True'), is('Registered', 'Unknown')]));
    expect(report.stages.map(({ stage }) => stage)).toEqual(['Launched']);
    expect(report.stuck).toMatchObject({ stage: 'Registered', givenUpAt: '2026-03-04T12:13:00Z' });
    expect(report.stuck?.waitsFor).toHaveLength(1);
  });

  it('before its initialization names every taint and resource that is in the way', () => {
    const startupTaints = [{ key: 'agent', effect: 'NoSchedule' as const }];
    const claim = claimOf([is('Launched', 'True'), is('Registered', 'True')], {
      startupTaints,
      resources: { requests: { 'example.com/gpu': '1' } },
    });
    const joined = node({ metadata: { name: 'n' }, spec: { providerID: 'kwok://c', taints: startupTaints } });
    const report = stuck(claim, { nodes: [{ nodeClaim: claim, node: joined, markedForDeletion: false }] });
    expect(report.stuck).toMatchObject({
      stage: 'Initialized',
      waitsFor: [
        'StartupTaint "agent:NoSchedule" still exists',
        'Resource "example.com/gpu" was requested but not registered',
      ],
    });
    expect(report.stuck).not.toHaveProperty('givenUpAt');
  });
});
