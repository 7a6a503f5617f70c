import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../src/apis/node-claim.ts';
import {
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
} from '../../src/cloudprovider/errors.ts';
import type { CloudProvider } from '../../src/cloudprovider/types.ts';
import { nodePool } from '../factories/index.ts';

/** One provider with nothing launched, and what the cases have to change around it. */
export interface ProviderUnderTest {
  readonly cloud: CloudProvider;
  /** A claim of the default node class that the API has; requirements are laid over what any claim needs. */
  claim(requirements?: NodeClaim['spec']['requirements']): Promise<NodeClaim>;
  /** Lets everything that is under way come to its end. */
  settle(): Promise<void>;
  setNodeClass(state: 'ready' | 'notReady' | 'missing'): Promise<void>;
  close(): Promise<void>;
}

const launched = async ({ cloud }: ProviderUnderTest, claim: NodeClaim): Promise<NodeClaim> => {
  const { metadata, status } = await cloud.create(claim);
  return { ...claim, metadata: { ...claim.metadata, labels: metadata.labels }, status: { ...claim.status, ...status } };
};
const idOf = (claim: NodeClaim): string => claim.status?.providerID ?? expect.fail('no providerID');

/** What core expects of any provider (karpenter-core.md section 0): every one has to pass. */
export function providerCases(name: string, open: () => Promise<ProviderUnderTest>): void {
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
        const types = await cloud.getInstanceTypes(nodePool());
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

      test('is known under names that are unique', async () => {
        const names = (await cloud.getInstanceTypes(nodePool())).map((type) => type.name);
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

      test('the same claim again finds the instance it has', async () => {
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
        const types = await cloud.getInstanceTypes(nodePool());
        const spot = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }] as const;
        const claim = await launched(under, await under.claim(spot));
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
        const claim = await under.claim([{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['nowhere'] }]);
        await expect(cloud.create(claim)).rejects.toThrow(InsufficientCapacityError);
      });

      test('waits for a node class that is not ready', async () => {
        await under.setNodeClass('notReady');
        await expect(cloud.create(await under.claim())).rejects.toThrow(NodeClassNotReadyError);
      });

      test('gives up on a node class that does not exist', async () => {
        await under.setNodeClass('missing');
        await expect(cloud.create(await under.claim())).rejects.toThrow(InsufficientCapacityError);
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
              return (error as Error).name;
            } finally {
              await under.settle();
            }
          })
          .toBe('NodeClaimNotFoundError');
        await expect(cloud.get(idOf(claim))).rejects.toThrow(NodeClaimNotFoundError);
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
        await expect(cloud.get(`${providerID}-other`)).rejects.toThrow(NodeClaimNotFoundError);
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
