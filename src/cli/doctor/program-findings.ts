import { join } from 'node:path';
import { type Finding, fail, pass, warn } from '../../doctor/finding.ts';
import { isSameFile, programsOnPath } from './path-search.ts';

export interface ProgramInput {
  /** The folder that holds package.json. */
  readonly root: string;
  readonly path: string | undefined;
  /** Of Node.js: `v24.1.0`. */
  readonly nodeVersion: string;
}

const LEAST_NODE = 24;
const PLUGIN = 'kubectl-karpenter';
const COMPLETION = 'kubectl_complete-karpenter';

/** What this program needs on the machine: its Node.js, and to be what kubectl finds under its name. */
export async function programFindings(input: ProgramInput): Promise<readonly Finding[]> {
  return [nodeFinding(input.nodeVersion), await pathFinding(input), await completionFinding(input)];
}

function nodeFinding(version: string): Finding {
  const major = Number.parseInt(version.replace(/^v/, ''), 10);
  if (major >= LEAST_NODE) return pass('Node.js', version);
  const fix = [`install Node.js ${LEAST_NODE} or newer`];
  return fail('Node.js', `${version} is too old: ${LEAST_NODE} is the least`, { fix });
}

/** kubectl runs the first one, whoever made it. */
async function pathFinding({ root, path }: ProgramInput): Promise<Finding> {
  const own = join(root, 'bin', PLUGIN);
  const fix = [`export PATH="${join(root, 'bin')}:$PATH"`];
  const [first, ...rest] = await programsOnPath(PLUGIN, path);
  if (first === undefined) {
    return warn('PATH', `no ${PLUGIN} on it, so \`kubectl karpenter\` does not find this program`, { fix });
  }
  const details = rest.map((file) => `hidden behind it: ${file}`);
  if (await isSameFile(first, own)) return pass('PATH', `${first} is first, and is this program`, { details });
  const message = `${first} is first and is another program: \`kubectl karpenter\` runs that one`;
  return warn('PATH', message, { details: [...details, `this one is ${own}`], fix: [...fix, `or remove ${first}`] });
}

async function completionFinding({ root, path }: ProgramInput): Promise<Finding> {
  const [first] = await programsOnPath(COMPLETION, path);
  if (first !== undefined) return pass('completion', `kubectl asks ${first}`);
  const fix = [`ln -s ${join(root, 'bin', COMPLETION)} FOLDER, where FOLDER is on the PATH`];
  return warn('completion', `no ${COMPLETION} on the PATH, so Tab completes nothing after \`kubectl karpenter\``, {
    fix,
  });
}
