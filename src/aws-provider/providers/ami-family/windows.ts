import { LABEL_OS } from '../../../apis/labels.ts';
import { LABEL_WINDOWS_BUILD } from '../../apis/labels.ts';
import { powershell } from './bootstrap/powershell.ts';
import { type AmiFamily, DEFAULT_FEATURES, defaultVolume } from './family.ts';

/** The releases of Windows Server, and the build that their nodes are labelled with. */
const BUILDS = { 2019: '10.0.17763', 2022: '10.0.20348', 2025: '10.0.26100' } as const;

type Release = keyof typeof BUILDS;

/** A release of Windows Server, without the desktop. */
export interface WindowsFamily extends AmiFamily {
  /** Value of `node.kubernetes.io/windows-build`. */
  readonly build: string;
}

function windows(release: Release): WindowsFamily {
  const build = BUILDS[release];
  return {
    name: `Windows${release}`,
    build,
    features: { ...DEFAULT_FEATURES, usesENILimitedMemoryOverhead: false, supportsENILimitedPodDensity: false },
    ephemeralDevice: '/dev/sda1',
    defaultBlockDeviceMappings: [defaultVolume('/dev/sda1', '50Gi')],
    userData: powershell,
    aliasParameters: (kubernetes) => [
      {
        name: `/aws/service/ami-windows-latest/Windows_Server-${release}-English-Core-EKS_Optimized-${kubernetes}/image_id`,
        isMutable: true,
        variants: [
          [
            { key: LABEL_OS, operator: 'In', values: ['windows'] },
            { key: LABEL_WINDOWS_BUILD, operator: 'In', values: [build] },
          ],
        ],
      },
    ],
  };
}

export const windows2019 = windows(2019);
export const windows2022 = windows(2022);
export const windows2025 = windows(2025);
