import { beforeAll, describe, expect, it } from 'vitest';
import { CustomResourceKind } from '../../apiserver/crd/custom-resource-kind.ts';
import { DefinitionKind } from '../../apiserver/crd/definition/definition-kind.ts';
import { withStorageVersion } from '../../apiserver/crd/definition/definition-status.ts';
import type { JsonObject } from '../../apiserver/kind.ts';
import { BuiltinFieldSchemas, BuiltinTypes } from '../../apiserver/types/index.ts';
import { CORE_DEFINITIONS } from './index.ts';
import { NODE_CLAIM_DEFINITION } from './node-claim.ts';
import { NODE_POOL_DEFINITION } from './node-pool.ts';

const pools = new CustomResourceKind(NODE_POOL_DEFINITION, 'v1');
const claims = new CustomResourceKind(NODE_CLAIM_DEFINITION, 'v1');

beforeAll(() => Promise.all([pools.prepare(), claims.prepare()]));

const classRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };

const pool = (template: JsonObject, spec: JsonObject = {}): JsonObject =>
  pools.applyDefaults({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'p', resourceVersion: '1' },
    spec: { ...spec, template: { spec: { nodeClassRef: classRef, requirements: [], ...template } } },
  });

const said = (object: JsonObject, old?: JsonObject): string =>
  (old === undefined ? pools.validateCreate(object) : pools.validateUpdate(object, old, ''))
    .map((error) => `${error.field}: ${error.message}`)
    .join('\n');

describe('the definitions', () => {
  const struct = new BuiltinTypes().kind('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  for (const definition of CORE_DEFINITIONS) {
    it(`${definition.metadata.name} is one the API takes`, async () => {
      if (struct === undefined) throw new RangeError('no type for definitions');
      const kind = new DefinitionKind({ struct, schema: new BuiltinFieldSchemas().of(struct) });
      const object = kind.applyDefaults(
        kind.decode(
          JSON.parse(JSON.stringify({ ...definition, status: { storedVersions: withStorageVersion(definition) } })),
        ).object,
      );
      await kind.prepare?.(object);
      expect(kind.validateCreate(object)).toEqual([]);
    });
  }
});

describe('a NodePool', () => {
  it('gets its disruption defaults', () => {
    expect((pool({}).spec as JsonObject).disruption).toEqual({
      budgets: [{ nodes: '10%' }],
      consolidateAfter: '0s',
      consolidationPolicy: 'WhenEmptyOrUnderutilized',
    });
    expect(said(pool({}))).toBe('');
  });

  it('must give values where an operator takes some', () => {
    const requirements = [{ key: 'kubernetes.io/os', operator: 'In' }];
    expect(said(pool({ requirements }))).toContain("requirements with operator 'In' must have a value defined");
  });

  it('takes one whole number for Gt and Lt', () => {
    const with_ = (values: readonly string[]) => pool({ requirements: [{ key: 'x', operator: 'Gt', values }] });
    expect(said(with_(['4']))).toBe('');
    expect(said(with_(['-4']))).not.toBe('');
    expect(said(with_(['4', '5']))).not.toBe('');
  });

  it("may not use Karpenter's own labels in its template", () => {
    const object = pool({});
    const template = (object.spec as { template: JsonObject }).template;
    const labelled = {
      ...object,
      spec: { template: { ...template, metadata: { labels: { 'karpenter.sh/nodepool': 'x' } } } },
    };
    expect(said(labelled)).toContain('karpenter.sh/nodepool');
  });

  it('keeps the kind of its node class', () => {
    const changed = pool({ nodeClassRef: { ...classRef, kind: 'Other' } });
    expect(said(changed, pool({}))).toContain('nodeClassRef.kind is immutable');
  });

  it('needs a duration for a budget with a schedule', () => {
    const disruption = { consolidateAfter: '0s', budgets: [{ nodes: '1', schedule: '@daily' }] };
    expect(said(pool({}, { disruption }))).toContain("'schedule' must be set with 'duration'");
  });

  it('weighs between 1 and 100', () => {
    expect(said(pool({}, { weight: 100 }))).toBe('');
    expect(said(pool({}, { weight: 101 }))).toContain('should be less than or equal to 100');
  });
});

describe('a NodeClaim', () => {
  it('never changes its spec', () => {
    const claim = (requirements: readonly JsonObject[]): JsonObject => ({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'c', resourceVersion: '1' },
      spec: { nodeClassRef: classRef, requirements },
    });
    const errors = claims.validateUpdate(claim([{ key: 'a', operator: 'Exists' }]), claim([]), '');
    expect(errors.map(({ field }) => field)).toEqual(['spec']);
    expect(errors[0]?.message).toContain('spec is immutable');
  });
});
