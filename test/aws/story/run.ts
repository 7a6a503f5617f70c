/**
 * The life of a node on EC2, over moto and an embedded cluster, with the built program; what is told is docs/aws-story.md.
 *
 *   node test/aws/story/run.ts [--write] [--controller PROGRAM] [--keep FOLDER]
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LAUNCHER } from '../../e2e/programs.ts';
import { unexpectedCalls } from '../calls.ts';
import { refusedCalls } from '../permitted.ts';
import { CLUSTER, REGION } from './names.ts';
import { tellStory } from './story.ts';

const { values } = parseArgs({
  options: { write: { type: 'boolean' }, controller: { type: 'string' }, keep: { type: 'string' } },
});
const PAGE = resolve(import.meta.dirname, '../../../docs/aws-story.md');
const HEAD = [
  '# A node on EC2, from its first pod to its end',
  '',
  'What `node test/aws/story/run.ts` lives through: the built program, on the embedded Kubernetes API, with',
  '[moto](https://docs.getmoto.org) as AWS, all over HTTP. Every run compares what happens with this page, which',
  '`--write` writes.',
];

const folder = values.keep ? resolve(values.keep) : await mkdtemp(join(tmpdir(), 'kubectl-karpenter-story-'));
await mkdir(folder, { recursive: true });
const command: [string, ...string[]] = values.controller
  ? [values.controller]
  : [LAUNCHER, 'controller', '--provider', 'aws'];
const { lines, journal } = await tellStory(command, folder);
const text = [
  ...HEAD,
  ...lines.flatMap((line) => (line === '' || line.startsWith('## ') ? [line] : [`    ${line}`])),
  '',
].join('\n');
console.log(lines.join('\n'));
if (values.keep) await writeFile(join(folder, 'journal.json'), JSON.stringify(journal, null, 1));
else await rm(folder, { recursive: true, force: true });
const scope = {
  partition: 'aws',
  region: REGION,
  accountID: '123456789012',
  clusterName: CLUSTER,
  nodeRoleARN: 'arn:aws:iam::123456789012:role/*',
  queueARN: 'arn:aws:sqs:*',
};
const controllers = journal.filter(({ agent }) => agent.includes('karpenter.sh-'));
const problems = [
  ...unexpectedCalls('story', controllers),
  ...refusedCalls(controllers, scope).map((action) => `${action} is not allowed by the policies`),
];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
if (values.write) await writeFile(PAGE, text);
else if ((await readFile(PAGE, 'utf8')) !== text) {
  console.error(`\nThis is not what docs/aws-story.md tells: see what changed with --write.`);
  process.exit(1);
}
process.exit(0);
