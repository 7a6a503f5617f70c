import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Upstream's EC2 controller, built if need be; answers its path. */
export async function upstreamController(): Promise<string> {
  const tool = resolve(import.meta.dirname, '../../../hack/go-tool');
  const { stdout } = await promisify(execFile)(tool, ['karpenter-aws']);
  return join(stdout.trim(), 'controller');
}
