import { hash32 } from '../node-name.ts';
import type { Ec2Type } from './ec2-catalogue.ts';

/** How much of the on-demand price spot costs at least, and how much more at most. */
const ORDINARY = { least: 0.3, spread: 0.35 };
/** GPUs and accelerators are wanted more. */
const WITH_DEVICES = { least: 0.45, spread: 0.35 };
const ZONE_SPREAD = 0.1;

/**
 * The share of its on-demand price that a type costs as spot in a zone. Spot prices change by the minute and are in no
 * package; these are made up, but look like them: a family has a level of its own, between 30 and 65 % (80 % with devices),
 * zones differ by up to a tenth of it, and nothing is dearer than 90 %. They follow from the names alone.
 */
export function spotShare({ name, devices }: Pick<Ec2Type, 'name' | 'devices'>, zone: string): number {
  const { least, spread } = Object.keys(devices).length > 0 ? WITH_DEVICES : ORDINARY;
  const [family = ''] = name.split('.');
  const level = least + spread * share(family) * 0.8 + spread * 0.2 * share(name);
  const inZone = level * (1 + ZONE_SPREAD * (share(`${name}/${zone}`) - 0.5));
  return Math.min(Math.round(inZone * 1000) / 1000, 0.9);
}

/** From 0 to 1. */
const share = (text: string): number => hash32(text) / 2 ** 32;
