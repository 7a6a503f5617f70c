/**
 * Runs every generator with --check: what they write has to be what they would write now. Two chains at a time, for there
 * are two cores where this has to be quick; the second waits for packages of Python, which are installed once.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const CHAINS = [
  ['answers', 'generate-types', 'generate-aws-install'],
  ['generate-ec2-catalogue', 'generate-ec2-types', 'generate-ec2-data'],
];

const results = await Promise.all(
  CHAINS.map(async (generators) => {
    let isGood = true;
    for (const generator of generators) isGood = (await check(generator)) && isGood;
    return isGood;
  }),
);
process.exitCode = results.every(Boolean) ? 0 : 1;

async function check(generator: string): Promise<boolean> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${generator}.ts`), '--check'], {
    stdio: 'inherit',
  });
  return await new Promise((resolve, reject) =>
    child.once('error', reject).once('exit', (code) => resolve(code === 0)),
  );
}
