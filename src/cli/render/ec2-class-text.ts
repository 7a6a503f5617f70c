import type { Ec2ClassFacts } from '../../explain/ec2-class-facts.ts';
import { formatAge } from '../age.ts';
import { count } from '../amounts.ts';
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

const subnetColumns = (asked: boolean): readonly Column<Row<'subnets'>>[] => [
  { title: 'SUBNET', value: ({ id }) => id },
  { title: 'ZONE', value: ({ zone }) => zone },
  { title: 'ZONE ID', value: ({ zoneID }) => zoneID ?? '-' },
  { title: 'FREE ADDRESSES', value: ({ freeAddresses }) => freeAddresses?.toString() ?? (asked ? 'gone' : UNTOLD) },
];

const SECURITY_GROUPS: readonly Column<Row<'securityGroups'>>[] = [
  { title: 'SECURITY GROUP', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name ?? '-' },
];

/** `karpenter.k8s.aws/instance-gpu-count Exists` → `instance-gpu-count Exists`. */
const withoutDomain = (requirement: string): string => requirement.replace(/^[^ ]*\//, '');

/** Two lines an image: names are long, and so is what types must be like. */
function imageLines({ id, name, deprecated, requirements, types }: Row<'amis'>, { style }: View): string {
  const like = requirements.map(withoutDomain).join(', ') || 'of any kind';
  const number = types === null ? 'types' : count(types, 'type');
  const old = deprecated ? `  ${style.warn('deprecated')}` : '';
  return `  ${id}  ${name ?? ''}${old}\n      for ${number}: ${like}\n`;
}

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
  const { askedAws, selects, subnets, securityGroups, amis, capacityReservations } = facts;
  const part = <T>(title: string, terms: readonly string[], columns: readonly Column<T>[], rows: readonly T[]) =>
    `${view.style.bold(title)}${terms.length > 0 ? `  ${terms.join('; ')}` : ''}\n${
      rows.length > 0 ? tableIn(view, columns, rows, '  ') : '  none\n'
    }`;
  return [
    part('Subnets', selects.subnets, subnetColumns(askedAws), subnets),
    part('Security groups', selects.securityGroups, SECURITY_GROUPS, securityGroups),
    `${view.style.bold('Images')}  ${selects.amis.join('; ')}\n${
      amis.map((ami) => imageLines(ami, view)).join('') || '  none\n'
    }`,
    ...(selects.capacityReservations.length > 0
      ? [part('Capacity reservations', selects.capacityReservations, reservations(view.now), capacityReservations)]
      : []),
    !askedAws && subnets.length > 0
      ? `${view.style.dim(`${UNTOLD} is known to AWS only: --catalog aws asks it`)}\n`
      : '',
  ];
}
