import type { Ec2ClassFacts } from '../../explain/ec2-class-facts.ts';
import { formatAge } from '../age.ts';
import type { Column } from '../table.ts';
import { tableIn, type View } from './view.ts';

/** What an EC2NodeClass is, one line a fact. */
export function ec2ClassLines(facts: Ec2ClassFacts): readonly string[] {
  const { role, instanceProfile, amiFamily, selects, hash, hashVersion, placementGroup, settings } = facts;
  const profile = instanceProfile === null ? '' : `instance profile ${instanceProfile}`;
  return [
    `  images   ${amiFamily}: ${selects.amis.join('; ')}\n`,
    `  role     ${[role, profile].filter(Boolean).join(', ') || 'none yet'}\n`,
    ...(placementGroup ? [`  group    ${groupText(placementGroup)}\n`] : []),
    ...Object.entries(settings).map(([path, value]) => `  set      ${path} ${value}\n`),
    ...(hash === null ? [] : [`  hash     ${hash} (${hashVersion})\n`]),
  ];
}

function groupText({ selector, id, strategy, partitions }: NonNullable<Ec2ClassFacts['placementGroup']>): string {
  if (id === null) return selector;
  return `${selector}: ${id}, ${strategy}${partitions === null ? '' : ` of ${partitions} partitions`}`;
}

type Row<Name extends keyof Ec2ClassFacts> = Ec2ClassFacts[Name] extends readonly (infer Item)[] ? Item : never;

const UNTOLD = '?';

const SUBNETS: readonly Column<Row<'subnets'>>[] = [
  { title: 'SUBNET', value: ({ id }) => id },
  { title: 'ZONE', value: ({ zone }) => zone },
  { title: 'ZONE ID', value: ({ zoneID }) => zoneID ?? '-' },
  { title: 'FREE ADDRESSES', value: ({ freeAddresses }) => freeAddresses?.toString() ?? UNTOLD },
];

const SECURITY_GROUPS: readonly Column<Row<'securityGroups'>>[] = [
  { title: 'SECURITY GROUP', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name ?? '-' },
];

const AMIS: readonly Column<Row<'amis'>>[] = [
  { title: 'IMAGE', value: ({ id, deprecated }) => (deprecated ? `${id} (deprecated)` : id) },
  { title: 'FOR TYPES', value: ({ types }) => types?.toString() ?? '-' },
  { title: 'NAME', value: ({ name }) => name ?? '-' },
  { title: 'THAT ARE', value: ({ requirements }) => requirements.join(', ') || 'of any kind' },
];

const reservations = (now: number): readonly Column<Row<'capacityReservations'>>[] => [
  { title: 'RESERVATION', value: ({ id }) => id },
  { title: 'TYPE', value: ({ instanceType }) => instanceType },
  { title: 'ZONE', value: ({ zone }) => zone },
  { title: 'LEFT', value: ({ left }) => left?.toString() ?? UNTOLD },
  { title: 'ENDS', value: ({ endTime }) => (endTime ? `in ${formatAge(Date.parse(endTime) - now)}` : 'never') },
  { title: 'STATE', value: ({ state }) => state },
  {
    title: 'KIND',
    value: ({ type, interruptible }) => (interruptible ? `${type}, interruptible` : type),
  },
];

/** What an EC2NodeClass has found; what it has not found is told by its conditions. */
export function ec2ClassTables(facts: Ec2ClassFacts, view: View): readonly string[] {
  const { selects, subnets, securityGroups, amis, capacityReservations } = facts;
  const part = <T>(title: string, terms: readonly string[], columns: readonly Column<T>[], rows: readonly T[]) =>
    `${view.style.bold(title)}${terms.length > 0 ? `  ${terms.join('; ')}` : ''}\n${
      rows.length > 0 ? tableIn(view, columns, rows, '  ') : '  none\n'
    }`;
  const isUntold =
    subnets.some(({ freeAddresses }) => freeAddresses === null) ||
    capacityReservations.some(({ left }) => left === null);
  return [
    part('Subnets', selects.subnets, SUBNETS, subnets),
    part('Security groups', selects.securityGroups, SECURITY_GROUPS, securityGroups),
    part('Images', selects.amis, AMIS, amis),
    ...(selects.capacityReservations.length > 0
      ? [part('Capacity reservations', selects.capacityReservations, reservations(view.now), capacityReservations)]
      : []),
    isUntold ? `${view.style.dim(`${UNTOLD} is known to AWS only: --catalog aws asks it`)}\n` : '',
  ];
}
