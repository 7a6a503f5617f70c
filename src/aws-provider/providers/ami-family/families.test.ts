import { expect, test } from 'vitest';
import type { AMIFamilyName } from '../../apis/ec2-node-class.ts';
import { familyOf } from './families.ts';
import { type ImageRequirements, NEURON, NVIDIA, STANDARD } from './variants.ts';

const EKS = '/aws/service/eks/optimized-ami/1.34';
const BOTTLEROCKET = '/aws/service/bottlerocket/aws-k8s-1.34';
const NAMES = new Map<ImageRequirements, string>([
  [STANDARD, 'standard'],
  [NVIDIA, 'nvidia'],
  [NEURON, 'neuron'],
]);

/** Each parameter, with what its image is for. */
const parameters = (family: AMIFamilyName, version: string) =>
  familyOf(family)
    .aliasParameters('1.34', version)
    .map(({ name, variants }) => [name, ...variants.map((variant) => NAMES.get(variant) ?? variant)]);

test.each<[AMIFamilyName, string, unknown[]]>([
  [
    'AL2023',
    'latest',
    [
      [`${EKS}/amazon-linux-2023/x86_64/standard/recommended/image_id`, 'standard'],
      [`${EKS}/amazon-linux-2023/x86_64/nvidia/recommended/image_id`, 'nvidia'],
      [`${EKS}/amazon-linux-2023/x86_64/neuron/recommended/image_id`, 'neuron'],
      [`${EKS}/amazon-linux-2023/arm64/standard/recommended/image_id`, 'standard'],
      [`${EKS}/amazon-linux-2023/arm64/nvidia/recommended/image_id`, 'nvidia'],
    ],
  ],
  [
    'AL2',
    'latest',
    [
      [`${EKS}/amazon-linux-2/recommended/image_id`, 'standard'],
      [`${EKS}/amazon-linux-2-arm64/recommended/image_id`, 'standard'],
      [`${EKS}/amazon-linux-2-gpu/recommended/image_id`, 'neuron', 'nvidia'],
    ],
  ],
  ...['latest', 'v1.50.0', '1.50.0'].map((version): [AMIFamilyName, string, unknown[]] => {
    const release = version === 'latest' ? 'latest' : '1.50.0';
    return [
      'Bottlerocket',
      version,
      [
        [`${BOTTLEROCKET}/x86_64/${release}/image_id`, 'standard', 'neuron'],
        [`${BOTTLEROCKET}/arm64/${release}/image_id`, 'standard'],
        [`${BOTTLEROCKET}-nvidia/x86_64/${release}/image_id`, 'nvidia'],
        [`${BOTTLEROCKET}-nvidia/arm64/${release}/image_id`, 'nvidia'],
      ],
    ];
  }),
  ...(
    [
      ['2019', '10.0.17763'],
      ['2022', '10.0.20348'],
      ['2025', '10.0.26100'],
    ] as const
  ).map(([year, build]): [AMIFamilyName, string, unknown[]] => [
    `Windows${year}`,
    'latest',
    [
      [
        `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-1.34/image_id`,
        [
          { key: 'kubernetes.io/os', operator: 'In', values: ['windows'] },
          { key: 'node.kubernetes.io/windows-build', operator: 'In', values: [build] },
        ],
      ],
    ],
  ]),
  ['Custom', 'latest', []],
])('9: where the images of %s@%s are named', (family, version, expected) => {
  expect(parameters(family, version)).toEqual(expected);
});

test('9: what a parameter of a version says stays, what one of the latest says may change', () => {
  const mutable = (family: AMIFamilyName, version: string) =>
    new Set(
      familyOf(family)
        .aliasParameters('1.34', version)
        .map(({ isMutable }) => isMutable),
    );
  for (const family of ['AL2', 'AL2023', 'Bottlerocket'] as const) {
    expect([...mutable(family, 'latest'), ...mutable(family, 'v1')], family).toEqual([true, false]);
  }
  expect([...mutable('Windows2022', 'latest')]).toEqual([true]);
});

test.each<[AMIFamilyName, [string, string][]]>([
  ['AL2', [['/dev/xvda', '20Gi']]],
  ['AL2023', [['/dev/xvda', '20Gi']]],
  [
    'Bottlerocket',
    [
      ['/dev/xvda', '4Gi'],
      ['/dev/xvdb', '20Gi'],
    ],
  ],
  ['Windows2019', [['/dev/sda1', '50Gi']]],
  ['Windows2022', [['/dev/sda1', '50Gi']]],
  ['Windows2025', [['/dev/sda1', '50Gi']]],
  ['Custom', []],
])('10: the volumes of %s, and which of them is for pods', (name, volumes) => {
  const family = familyOf(name);
  expect(family.defaultBlockDeviceMappings).toEqual(
    volumes.map(([deviceName, volumeSize]) => ({
      deviceName,
      ebs: { encrypted: true, volumeType: 'gp3', volumeSize },
    })),
  );
  expect(family.ephemeralDevice).toBe(volumes.at(-1)?.[0]);
});

test.each<[AMIFamilyName, boolean, boolean, boolean]>([
  ['AL2', true, true, true],
  ['AL2023', true, true, true],
  ['Bottlerocket', true, false, false],
  ['Windows2019', false, false, true],
  ['Windows2022', false, false, true],
  ['Windows2025', false, false, true],
  ['Custom', true, true, true],
])(
  '10: %s: pods by interfaces %s, memory reserved by interfaces %s, podsPerCore %s',
  (name, pods, memory, podsPerCore) => {
    expect(familyOf(name).features).toMatchObject({
      supportsENILimitedPodDensity: pods,
      usesENILimitedMemoryOverhead: memory,
      podsPerCoreEnabled: podsPerCore,
    });
  },
);
