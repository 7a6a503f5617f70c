import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WELL_KNOWN_LABELS } from '../../src/apis/labels.ts';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import type { NodePool } from '../../src/apis/node-pool.ts';
import {
  causeOf,
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
} from '../../src/cloudprovider/errors.ts';
import type { CloudProvider } from '../../src/cloudprovider/types.ts';

/** One provider with nothing launched, and what the cases have to change around it. */
export interface ProviderUnderTest {
  readonly cloud: CloudProvider;
  /** A pool of the default node class. */
  readonly pool: NodePool;
  /** A claim of the default node class that the API has; what it asks for is laid over what any claim needs. */
  claim(spec?: Partial<Pick<NodeClaim['spec'], 'requirements' | 'resources'>>): Promise<NodeClaim>;
  /** Lets everything that is under way come to its end. */
  settle(): Promise<void>;
  setNodeClass(state: 'notReady' | 'missing'): Promise<void>;
  /** From now on the cloud has nothing left of all that it offers. */
  sellOut(): Promise<void>;
  close(): Promise<void>;
}

const launched = async ({ cloud }: ProviderUnderTest, claim: NodeClaim): Promise<NodeClaim> => {
  const { metadata, status } = await cloud.create(claim);
  return { ...claim, metadata: { ...claim.metadata, labels: metadata.labels }, status: { ...claim.status, ...status } };
};
/** With an error of this kind, or one that it caused. */
async function refused(answer: Promise<unknown>, kind: Parameters<typeof causeOf>[1]): Promise<void> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(causeOf(error, kind) ?? error).toBeInstanceOf(kind);
}
const idOf = (claim: NodeClaim): string => claim.status?.providerID ?? expect.fail('no providerID');

/**
 * What core expects of any provider (karpenter-core.md section 0): every one has to pass.
 *
 * @param remembersClaims of a claim that is launched twice the second gets the first's instance; elsewhere core sees to it
 *   that none is, and what a lost answer leaves behind is for the provider to collect.
 */
export function providerCases(
  name: string,
  open: () => Promise<ProviderUnderTest>,
  { remembersClaims }: { readonly remembersClaims: boolean },
): void {
  describe(`the ${name} provider`, () => {
    let under: ProviderUnderTest;
    let cloud: CloudProvider;
    beforeEach(async () => {
      under = await open();
      cloud = under.cloud;
    });
    afterEach(async () => await under.close());

    describe('what it sells', () => {
      test('has a zone and a capacity type in every offering, and a value for every label of the type', async () => {
        const types = await cloud.getInstanceTypes(under.pool);
        expect(types.length).toBeGreaterThan(0);
        for (const { requirements, offerings, capacity } of types) {
          expect(requirements.has('node.kubernetes.io/instance-type')).toBe(true);
          expect(requirements.has('kubernetes.io/arch')).toBe(true);
          expect(requirements.has('kubernetes.io/os')).toBe(true);
          expect(capacity.cpu).toBeGreaterThan(0);
          for (const offering of offerings) {
            expect(offering.requirements.get('topology.kubernetes.io/zone').operator).toBe('In');
            expect(offering.requirements.get('karpenter.sh/capacity-type').operator).toBe('In');
          }
        }
      });

      test('is told by labels that pods and pools may name', async () => {
        const known = new Set([...WELL_KNOWN_LABELS, ...cloud.wellKnownLabels]);
        const types = await cloud.getInstanceTypes(under.pool);
        for (const { name, requirements } of types) {
          for (const key of requirements.keys()) expect(known, `${name}: ${key}`).toContain(key);
        }
      });

      test('is known under names that are unique', async () => {
        const names = (await cloud.getInstanceTypes(under.pool)).map((type) => type.name);
        expect(new Set(names).size).toBe(names.length);
      });
    });

    describe('launching', () => {
      test('answers the claim with its instance: id, capacity and resolved labels', async () => {
        const claim = await launched(under, await under.claim());
        expect(idOf(claim)).not.toBe('');
        expect(claim.status?.capacity?.cpu).toBeDefined();
        expect(claim.status?.allocatable?.cpu).toBeDefined();
        expect(claim.metadata.labels).toMatchObject({
          'node.kubernetes.io/instance-type': expect.any(String),
          'topology.kubernetes.io/zone': expect.any(String),
          'karpenter.sh/capacity-type': expect.any(String),
        });
      });

      test.runIf(remembersClaims)('the same claim again finds the instance it has', async () => {
        const claim = await under.claim();
        const first = await cloud.create(claim);
        await under.settle();
        const second = await cloud.create(claim);
        await under.settle();
        expect(second.status?.providerID).toBe(first.status?.providerID);
        expect(await cloud.list()).toHaveLength(1);
      });

      test('two claims get two instances', async () => {
        const ids = await Promise.all(
          [under.claim(), under.claim()].map(async (c) => idOf(await launched(under, await c))),
        );
        expect(new Set(ids).size).toBe(2);
      });

      test('takes the cheapest that the claim allows', async () => {
        const types = await cloud.getInstanceTypes(under.pool);
        const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }] as const;
        const claim = await launched(under, await under.claim({ requirements }));
        const prices = types.flatMap((type) =>
          type.offerings
            .filter((o) => o.requirements.get('karpenter.sh/capacity-type').has('on-demand'))
            .map((o) => o.price),
        );
        const bought = types.find((type) => type.name === claim.metadata.labels?.['node.kubernetes.io/instance-type']);
        expect(claim.metadata.labels?.['karpenter.sh/capacity-type']).toBe('on-demand');
        expect(Math.min(...(bought?.offerings.map((o) => o.price) ?? []))).toBeLessThanOrEqual(Math.min(...prices));
      });

      test('says that it has none when no type meets the claim', async () => {
        const requirements = [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['nowhere'] }] as const;
        const claim = await under.claim({ requirements });
        await refused(cloud.create(claim), InsufficientCapacityError);
      });

      test('buys a whole type that holds what the claim requests', async () => {
        const asking = async (cpu: string) =>
          await cloud.create(await under.claim({ resources: { requests: { cpu } } }));
        expect(Number((await asking('5')).status?.capacity?.cpu)).toBeGreaterThan(5);
        await refused(asking('100000'), InsufficientCapacityError);
      });

      test('says that it has none when all is sold out, and keeps every type on its list', async () => {
        const before = (await cloud.getInstanceTypes(under.pool)).map(({ name }) => name);
        await under.sellOut();
        await refused(cloud.create(await under.claim()), InsufficientCapacityError);
        expect(await cloud.list()).toEqual([]);
        expect((await cloud.getInstanceTypes(under.pool)).map(({ name }) => name)).toEqual(before);
      });

      test('waits for a node class that is not ready', async () => {
        await under.setNodeClass('notReady');
        await refused(cloud.create(await under.claim()), NodeClassNotReadyError);
      });

      test('gives up on a node class that does not exist', async () => {
        await under.setNodeClass('missing');
        await refused(cloud.create(await under.claim()), InsufficientCapacityError);
      });
    });

    describe('an instance', () => {
      test('is found by its id and in the list, from the moment it is bought', async () => {
        const claim = await launched(under, await under.claim());
        for (const moment of ['at once', 'later']) {
          expect((await cloud.get(idOf(claim))).status?.providerID, moment).toBe(idOf(claim));
          expect((await cloud.list()).map(idOf), moment).toEqual([idOf(claim)]);
          await under.settle();
        }
      });

      test('is gone some time after it was deleted, and then is not found', async () => {
        const claim = await launched(under, await under.claim());
        await under.settle();
        await expect
          .poll(async () => {
            try {
              await cloud.delete(claim);
              return 'going';
            } catch (error) {
              return causeOf(error, NodeClaimNotFoundError)?.name ?? error;
            } finally {
              await under.settle();
            }
          })
          .toBe('NodeClaimNotFoundError');
        await refused(cloud.get(idOf(claim)), NodeClaimNotFoundError);
        expect(await cloud.list()).toEqual([]);
      });

      test('can be deleted before it has joined, and then never joins', async () => {
        const claim = await launched(under, await under.claim());
        await cloud.delete(claim).catch(() => undefined);
        await under.settle();
        expect(await cloud.list()).toEqual([]);
      });

      test('that never was is not found', async () => {
        const { providerID } = (await cloud.create(await under.claim())).status ?? {};
        await refused(cloud.get(`${providerID}-other`), NodeClaimNotFoundError);
      });

      test('has not drifted when it was just launched', async () => {
        expect(await cloud.isDrifted(await launched(under, await under.claim()))).toBe('');
      });
    });

    test('names its node classes, the default one first', () => {
      const [first] = cloud.supportedNodeClasses();
      expect(first).toMatchObject({ group: expect.any(String), kind: expect.any(String), version: expect.any(String) });
    });
  });
}
