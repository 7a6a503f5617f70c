import type { AMIFamilyName } from '../../apis/ec2-node-class.ts';
import { al2 } from './al2.ts';
import { al2023 } from './al2023.ts';
import { bottlerocket } from './bottlerocket.ts';
import { custom } from './custom.ts';
import type { AmiFamily } from './family.ts';
import { windows2019, windows2022, windows2025 } from './windows.ts';

const FAMILIES: Readonly<Record<AMIFamilyName, AmiFamily>> = {
  AL2: al2,
  AL2023: al2023,
  Bottlerocket: bottlerocket,
  Custom: custom,
  Windows2019: windows2019,
  Windows2022: windows2022,
  Windows2025: windows2025,
};

/** The family of that name. */
export function familyOf(name: AMIFamilyName): AmiFamily {
  return FAMILIES[name];
}
