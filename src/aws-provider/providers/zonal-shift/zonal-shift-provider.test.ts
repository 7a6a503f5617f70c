import { expect, test } from 'vitest';
import { awsError, scriptedApi } from '../../../../test/aws/scripted-api.ts';
import { SILENT } from '../../../logging/logger.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { ArcZonalShiftApi, ZonalShiftSummary } from '../../aws-api/apis.ts';
import { ArcZonalShiftProvider, NO_ZONAL_SHIFTS } from './zonal-shift-provider.ts';

const ARN = 'arn:aws:eks:us-west-2:012345678901:cluster/c';
const HOUR = 3_600_000;

function shifts(answer: () => readonly ZonalShiftSummary[] | undefined) {
  const clock = new VirtualClock();
  const arc = scriptedApi<ArcZonalShiftApi>({
    getManagedResource: async () => {
      const zonalShifts = answer();
      return zonalShifts ? { zonalShifts } : {};
    },
  });
  const provider = new ArcZonalShiftProvider({ arcZonalShift: arc.api, clock, log: SILENT, clusterARN: ARN });
  const shift = (awayFrom: string, appliedStatus = 'APPLIED', ms = HOUR): ZonalShiftSummary => ({
    awayFrom,
    appliedStatus,
    expiryTime: (clock.now() + ms) / 1000,
  });
  return { clock, arc, provider, shift };
}

test('a zone is shifted while its shift is applied, until it expires', async () => {
  const world = shifts(() => [world.shift('az1'), world.shift('az2', 'NOT_APPLIED')]);
  const { provider, arc, clock } = world;
  expect(provider.isShifted('az1')).toBe(false);
  await provider.update();
  expect(arc.inputs('getManagedResource')).toEqual([{ resourceIdentifier: ARN }]);
  expect(['az1', 'az2', 'az3'].map((zone) => provider.isShifted(zone))).toEqual([true, false, false]);
  expect([...provider.shiftedZones()]).toEqual(['az1']);
  await clock.advance(HOUR);
  expect(provider.isShifted('az1')).toBe(false);
  expect(provider.shiftedZones().size).toBe(0);
});

test('a shift that is no longer named holds on while there are others, and ends when there are none', async () => {
  let named: readonly ZonalShiftSummary[] | undefined;
  const { provider, shift } = shifts(() => named);
  named = [shift('az1')];
  await provider.update();
  named = [shift('az2')];
  await provider.update();
  expect([...provider.shiftedZones()]).toEqual(['az1', 'az2']);
  named = [shift('az1', 'NOT_APPLIED')];
  await provider.update();
  expect([...provider.shiftedZones()]).toEqual(['az2']);
  named = undefined;
  await provider.update();
  expect([...provider.shiftedZones()]).toEqual([]);
});

test('what is known stays when an update fails', async () => {
  let fails = false;
  const world = shifts(() => {
    if (fails) throw awsError('ThrottlingException', 'slow down');
    return [world.shift('az1')];
  });
  await world.provider.update();
  fails = true;
  await expect(world.provider.update()).rejects.toThrow('getting zonal shifts, slow down');
  expect(world.provider.isShifted('az1')).toBe(true);
});

test('no zone is shifted when shifts are not followed', async () => {
  await NO_ZONAL_SHIFTS.update();
  expect(NO_ZONAL_SHIFTS.isShifted('az1')).toBe(false);
  expect(NO_ZONAL_SHIFTS.shiftedZones().size).toBe(0);
});
