/** Writes docs/guides/answers.md with the real output of its commands; with --check only says whether it is as it would be. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Answer {
  /** What people ask, in their words. */
  readonly ask: string;
  /** What to see in the output. */
  readonly answer: string;
  readonly args: string;
}

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs', 'guides', 'answers.md');
const SAVED = '--from examples/saved-cluster --now 2026-03-01T12:00:00Z';

const ANSWERS: readonly Answer[] = [
  {
    ask: 'Why is this half-empty node never consolidated?',
    answer: 'The object that keeps it is named, and each of its pods is followed to where it would go.',
    args: 'explain node general-3',
  },
  {
    ask: 'Which of all these NodePools should take my pod, and what do I have to change?',
    answer: 'Pools come nearest miss first, each with both sides of the rule. The edits were tried by packing again.',
    args: 'explain pod arm-build',
  },
  {
    ask: 'No instance type met the requirements: is it CPU, zone or architecture?',
    answer: 'The types that are left after each step, and limits named as limits.',
    args: 'explain pod huge',
  },
  {
    ask: 'My label value is refused. Is the typo mine?',
    answer: 'The nearest known value, tried.',
    args: 'explain pod gpu-job',
  },
  {
    ask: 'Why is nothing said about my pending pod?',
    answer: 'Every pending pod has a line: a new node, room on a node that is there, or the rule in the way.',
    args: 'plan',
  },
  {
    ask: 'What would happen to the pods if this node went?',
    answer: 'Where each pod goes, what is launched instead, and what it saves an hour, a month and a pod.',
    args: 'consolidate --dry-run --node general-1',
  },
  {
    ask: 'What will this NodePool edit do before I apply it, and which field drifts?',
    answer: 'Fields, nodes that drift with what they have and what is asked, the pace of the budget, cost. It exits 3.',
    args: 'plan --diff -f examples/edited-pool.yaml',
  },
  {
    ask: 'What does the cluster cost now? Can I look at it without touching it?',
    answer: 'Save it once with `snapshot`; every command that reads takes `--from`.',
    args: 'status',
  },
  {
    ask: 'Can it leave alone what saves only pennies?',
    answer: 'A threshold in dollars an hour or as a share of the price; what falls below it is listed as such.',
    args: 'consolidate --dry-run --min-savings 60%',
  },
  {
    ask: 'How many nodes do the budgets allow to be disrupted now?',
    answer: 'One number for each reason, at the time given with `--now`.',
    args: 'explain nodepool general',
  },
];

function run(args: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const words = [join(root, 'bin', 'main.ts'), ...`${args} ${SAVED}`.split(' ')];
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
for (const { ask, answer, args } of ANSWERS) {
  const output = await run(args);
  parts.push(`## ${ask}`, answer, `\`\`\`\n$ kubectl karpenter ${args} ${SAVED}\n${output}\n\`\`\``);
}
const wanted = `${parts.join('\n\n')}\n`;

if (!process.argv.includes('--check')) await writeFile(page, wanted);
else if ((await readFile(page, 'utf8').catch(() => '')) !== wanted) {
  process.stderr.write('stale: docs/guides/answers.md; run node hack/answers.ts\n');
  process.exitCode = 1;
}
