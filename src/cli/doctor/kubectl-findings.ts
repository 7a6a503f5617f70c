import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type Finding, fail, pass, warn } from '../../doctor/finding.ts';
import { programsOnPath } from './path-search.ts';

export interface KubectlInput {
  readonly path: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the cluster says of itself, `v1.36.3`; undefined when it says nothing. */
  readonly serverVersion: string | undefined;
}

const CHECK = 'kubectl';

/** Whether there is a kubectl, and whether it is made for servers like this one: one minor version more or less. */
export async function kubectlFinding(input: KubectlInput, signal: AbortSignal): Promise<Finding> {
  const [program] = await programsOnPath('kubectl', input.path);
  if (program === undefined) {
    const message =
      'none on the PATH: this program works without one, as `karpenter`, but is no plugin of anything then';
    return warn(CHECK, message, { fix: ['https://kubernetes.io/docs/tasks/tools/'] });
  }
  const version = await versionOf(program, input.env, signal);
  if (version === undefined) return fail(CHECK, `${program} does not tell its version`);
  const [own, server] = [minorOf(version), minorOf(input.serverVersion)];
  if (own === undefined || server === undefined) return pass(CHECK, `${version}, ${program}`);
  if (Math.abs(own - server) <= 1)
    return pass(CHECK, `${version}, ${program}; fits the server's ${input.serverVersion}`);
  const message = `${version} and the server's ${input.serverVersion} are more than one minor version apart, which Kubernetes does not support`;
  return warn(CHECK, message, { fix: [`install kubectl 1.${server}`] });
}

async function versionOf(program: string, env: KubectlInput['env'], signal: AbortSignal): Promise<string | undefined> {
  try {
    const args = ['version', '--client', '-o', 'json'];
    const { stdout } = await promisify(execFile)(program, args, { env: { ...env }, signal });
    const answer = JSON.parse(stdout) as { readonly clientVersion?: { readonly gitVersion?: string } };
    return answer.clientVersion?.gitVersion;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

function minorOf(version: string | undefined): number | undefined {
  const minor = /^v?1\.(\d+)/.exec(version ?? '')?.[1];
  return minor === undefined ? undefined : Number(minor);
}
