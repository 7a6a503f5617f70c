import type { Labels } from '../metrics/metrics.ts';

/** What Go calls the processors that Node.js calls otherwise. */
const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The labels of `build_info` (karpenter-core.md 11.1.1); the names speak of Go, which is not what runs this program. */
export function buildInfo(version: string): Labels {
  const { arch } = process;
  return {
    version,
    goversion: `node ${process.version}`,
    goarch: GO_ARCHITECTURES[arch] ?? arch,
    commit: 'unknown',
  };
}
