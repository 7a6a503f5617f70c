import { expect, test } from 'vitest';
import { ec2NodeClass } from '../../../test/factories/ec2-node-class.ts';
import { node } from '../../../test/factories/index.ts';
import { clusterRegion, clusterZones } from './cluster-region.ts';
import { shippedFacts, type Zone } from './shipped-facts.ts';
import { withStandIns } from './stand-ins.ts';

const CATALOGUE = {
  region: 'us-east-1',
  zoneIDs: { a: 'use1-az6', b: 'use1-az1', e: 'use1-az3' },
  types: [
    { name: 'm5.large', zones: 'abe' },
    { name: 'm7i.large', zones: 'ab' },
  ],
};
const facts = (region: string, zones: readonly Zone[]) =>
  shippedFacts({ region, zones, catalogue: CATALOGUE, spotShare: () => 0.5 });

test('a zone sells what the zone of its id sells, whatever letter the account knows it by', () => {
  const { zonesOfTypes } = facts('us-east-1', [{ zone: 'us-east-1a', zoneID: 'use1-az3' }]);
  expect(zonesOfTypes.get('m5.large')).toContain('us-east-1a');
  expect(zonesOfTypes.get('m7i.large')).not.toContain('us-east-1a');
  expect(zonesOfTypes.get('m7i.large')).toContain('us-east-1b');
});

test('elsewhere every type that has a price is sold in all zones that are known, at prices of the partition', () => {
  const europe = facts('eu-west-1', [{ zone: 'eu-west-1a' }, { zone: 'eu-west-1b' }]);
  expect([...(europe.zonesOfTypes.get('m5.large') ?? [])]).toEqual(['eu-west-1a', 'eu-west-1b']);
  expect(europe.onDemand.get('m5.large')).toBe(0.096);
  expect(europe.spot?.get('m5.large')?.get('eu-west-1a')).toBe(0.048);
  const china = facts('cn-north-1', [{ zone: 'cn-north-1a' }]);
  expect(china.onDemand.get('c5.large')).toBe(0.739);
  expect(china.infos.size).toBeLessThan(europe.infos.size);
});

const inZone = (zone: string, region?: string) =>
  node({
    metadata: {
      labels: { 'topology.kubernetes.io/zone': zone, ...(region ? { 'topology.kubernetes.io/region': region } : {}) },
    },
  });
const subnets = (...zones: readonly string[]) =>
  zones.map((zone) => ({ id: `subnet-${zone}`, zone, zoneID: `${zone}-id` }));

test('the region is what nodes say, then what zones are called', () => {
  const local = ec2NodeClass({ status: { subnets: subnets('us-west-2-lax-1a') } });
  expect(clusterRegion([inZone('eu-west-1a', 'eu-west-1')], [local])).toBe('eu-west-1');
  expect(clusterRegion([], [local])).toBe('us-west-2');
  expect(clusterRegion([inZone('us-gov-west-1b')], [])).toBe('us-gov-west-1');
  expect(clusterRegion([inZone('here')], [])).toBeUndefined();
  expect(clusterZones([inZone('us-west-2a')], [local])).toEqual([
    { zone: 'us-west-2a' },
    { zone: 'us-west-2-lax-1a', zoneID: 'us-west-2-lax-1a-id' },
  ]);
});

test('classes that no controller has looked at stand in every zone; one that has been looked at stays as it is', () => {
  const looked = ec2NodeClass({ metadata: { name: 'looked' }, status: { conditions: [] } });
  const fresh = ec2NodeClass({ metadata: { name: 'fresh' } });
  const { classes, standIns } = withStandIns([looked, fresh], ['looked', 'missing'], [{ zone: 'us-east-1a' }]);
  expect(standIns).toEqual(['fresh', 'missing']);
  expect(classes.map(({ metadata, status }) => [metadata.name, status?.subnets?.map(({ zone }) => zone)])).toEqual([
    ['looked', undefined],
    ['fresh', ['us-east-1a']],
    ['missing', ['us-east-1a']],
  ]);
});
