import type { NodeClaimSpec } from '../../../src/apis/node-claim.ts';
import { SeededChoices } from '../../parity/random.ts';
import { randomNodeClass } from './random-node-class.ts';
import type { World } from './world.ts';

type Requirement = NodeClaimSpec['requirements'][number];
type Operator = Requirement['operator'];

const aws = (name: string): string => `karpenter.k8s.aws/${name}`;

/** Labels with values that types have, of which some few stand in a requirement. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  'topology.kubernetes.io/zone': ['us-west-2a', 'us-west-2b', 'us-west-2c', 'us-west-2d'],
  'topology.k8s.aws/zone-id': ['usw2-az1', 'usw2-az2', 'usw2-az3', 'usw2-az4'],
  [aws('instance-category')]: ['c', 'm', 'r', 't', 'i', 'x', 'g', 'p', 'd', 'inf'],
  [aws('instance-family')]: ['m5', 'c5', 'r5', 'm6i', 'c6g', 'r7a', 't3', 'c8gd', 'i4i', 'm7g', 'x2idn', 'g5', 'hpc7a'],
  [aws('instance-size')]: ['medium', 'large', 'xlarge', '2xlarge', '4xlarge', '12xlarge', 'metal', '24xlarge'],
  [aws('instance-cpu-manufacturer')]: ['intel', 'amd', 'aws'],
  [aws('instance-hypervisor')]: ['nitro', 'xen'],
  [aws('instance-encryption-in-transit-supported')]: ['true', 'false'],
  [aws('instance-capability-flex')]: ['true', 'false'],
  [aws('instance-gpu-manufacturer')]: ['nvidia', 'amd'],
  'node.kubernetes.io/instance-type': [
    'm5.large',
    'm5.4xlarge',
    'c6i.xlarge',
    'r6g.2xlarge',
    't3.medium',
    'g4dn.xlarge',
  ],
  'example.com/team': ['red', 'green', 'blue'],
};

/** Labels with numbers, and bounds that leave something over. Not those of which our tables know more than upstream's. */
const NUMBERS: Readonly<Record<string, readonly number[]>> = {
  [aws('instance-generation')]: [2, 4, 5, 6],
  [aws('instance-cpu')]: [1, 4, 8, 31, 64],
  [aws('instance-memory')]: [4095, 16_384, 65_536, 262_144],
  [aws('instance-ebs-bandwidth')]: [650, 4750, 10_000, 40_000],
  [aws('instance-local-nvme')]: [75, 400, 2000],
  [aws('instance-cpu-sustained-clock-speed-mhz')]: [2400, 3100],
  [aws('instance-gpu-count')]: [1, 4],
};

const OPTIONAL = [aws('instance-gpu-count'), aws('instance-local-nvme'), aws('instance-accelerator-name')];

const MANY_VALUED = [aws('instance-family'), aws('instance-category'), 'node.kubernetes.io/instance-type'];

/** Worlds that nobody wrote down: the same ones for the same seed. */
export function randomWorlds(count: number, seed: number): readonly World[] {
  return Array.from({ length: count }, (_, index) =>
    randomWorld(`r-${seed}-${index}`, new SeededChoices(seed * 10_007 + index)),
  );
}

function randomWorld(name: string, choices: SeededChoices): World {
  const nodeClass = randomNodeClass(choices);
  const alias = nodeClass.amiSelectorTerms?.[0]?.alias ?? '';
  const taints = choices.chance(0.2)
    ? { taints: [{ key: 'team', value: choices.pick(['a', 'b']), effect: choices.pick(EFFECTS) }] }
    : {};
  const startupTaints = choices.chance(0.15)
    ? { startupTaints: [{ key: 'starting', effect: choices.pick(EFFECTS) }] }
    : {};
  const claim = {
    requirements: requirements(choices, alias),
    resources: { requests: requests(choices) },
    ...taints,
    ...startupTaints,
  };
  return { name, nodeClass, claim };
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;

function requirements(choices: SeededChoices, alias: string): Requirement[] {
  const chosen: Requirement[] = [];
  const add = (key: string, operator: Operator, values?: readonly string[], more: object = {}) => {
    if (!chosen.some((other) => other.key === key))
      chosen.push({ key, operator, ...(values ? { values } : {}), ...more });
  };
  add('kubernetes.io/os', 'In', [alias.startsWith('windows') ? 'windows' : 'linux']);
  if (alias.startsWith('windows')) add('kubernetes.io/arch', 'In', ['amd64']);
  else if (choices.chance(0.75)) add('kubernetes.io/arch', 'In', choices.some(['amd64', 'arm64']));
  if (choices.chance(0.8)) add('karpenter.sh/capacity-type', 'In', choices.some(['spot', 'on-demand']));
  for (let left = choices.integer(0, 3); left > 0; left--) {
    if (choices.chance(0.6)) {
      const key = choices.pick(Object.keys(CHOICES));
      const operator = choices.chance(0.75) || key === 'example.com/team' ? 'In' : 'NotIn';
      add(key, operator, choices.some(CHOICES[key] ?? [], key === 'example.com/team' ? 1 : 5));
    } else {
      const key = choices.pick(Object.keys(NUMBERS));
      const [bound = 0] = choices.some(NUMBERS[key] ?? [], 1);
      add(key, choices.pick(['Gt', 'Gt', 'Lt', 'Gte', 'Lte']), [String(bound)]);
    }
  }
  if (choices.chance(0.15)) add(choices.pick(OPTIONAL), choices.pick(['Exists', 'DoesNotExist', 'DoesNotExist']));
  if (choices.chance(0.15)) add(choices.pick(MANY_VALUED), 'Exists', undefined, { minValues: choices.integer(2, 12) });
  return chosen;
}

function requests(choices: SeededChoices): Readonly<Record<string, string>> {
  return {
    cpu: choices.pick(['100m', '500m', '1', '1900m', '3', '7', '15', '30', '90']),
    memory: choices.pick(['128Mi', '1Gi', '3Gi', '6Gi', '14Gi', '60Gi', '250Gi']),
    pods: String(choices.pick([1, 4, 11, 30, 100])),
    ...(choices.chance(0.2) ? { 'ephemeral-storage': choices.pick(['1Gi', '10Gi', '30Gi', '200Gi']) } : {}),
    ...(choices.chance(0.08) ? { 'nvidia.com/gpu': choices.pick(['1', '2', '8']) } : {}),
  };
}
