/** Writes docs/guides/answers.md with the real output of its commands; with --check only says whether it is as it would be. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Answer } from './answers/answer.ts';
import { DISRUPTION } from './answers/disruption.ts';
import { PODS_AND_NODES } from './answers/pods-and-nodes.ts';
import { WHAT_IF } from './answers/what-if.ts';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs', 'guides', 'answers.md');
const SAVED = '--from examples/saved-cluster --now 2026-03-01T12:00:00Z';

/** In the order of the page. */
const SECTIONS: readonly (readonly [title: string, answers: readonly Answer[]])[] = [
  ['Pods and nodes', PODS_AND_NODES],
  ['What if', WHAT_IF],
  ['Disruption', DISRUPTION],
];

function run(args: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const words = [join(root, 'bin', 'main.ts'), ...`${args} ${SAVED}`.split(' '), '--quiet'];
    const env = { PATH: process.env.PATH ?? '', TZ: 'UTC', NO_COLOR: '1' };
    execFile(process.execPath, words, { cwd: root, env }, (error, stdout, stderr) => {
      if (stderr || (error && error.code !== 3)) reject(new Error(`${args}: ${stderr || error?.message}`));
      else resolve(stdout.trimEnd());
    });
  });
}

const parts = [
  '# Questions and answers',
  'What users of Karpenter ask most, each with the command that answers it and its output. All of it is computed from\n' +
    '[examples/saved-cluster](../../examples/saved-cluster) by `node hack/answers.ts`; leave `--from` and `--now` out to ask\n' +
    'your own cluster.',
];
for (const [title, answers] of SECTIONS) {
  parts.push(`## ${title}`);
  for (const { ask, answer, args } of answers) {
    const output = await run(args);
    parts.push(`### ${ask}`, answer, `\`\`\`\n$ kubectl karpenter ${args} ${SAVED}\n${output}\n\`\`\``);
  }
}
const wanted = `${parts.join('\n\n')}\n`;

if (!process.argv.includes('--check')) await writeFile(page, wanted);
else if ((await readFile(page, 'utf8').catch(() => '')) !== wanted) {
  process.stderr.write('stale: docs/guides/answers.md; run node hack/answers.ts\n');
  process.exitCode = 1;
}
