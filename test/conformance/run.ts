/**
 * Asks the embedded API the questions that a real kube-apiserver v1.36.3 answered, and compares the answers.
 *
 *     node test/conformance/run.ts [--only REGEX] [--report FILE] [--update]
 *
 * Exits with 1 if a case of agreed.txt agrees no longer. With --update, agreed.txt takes the cases that agree now.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CORE_DEFINITIONS } from '../../src/apis/crds/index.ts';
import { ApiServer, makeCertificates } from '../../src/apiserver/index.ts';
import { RealClock } from '../../src/operator/clock.ts';
import { CryptoRandom } from '../../src/operator/random.ts';
import { shardsOf } from './shards.ts';
import { type Difference, type VerifyOptions, verify } from './verify.ts';

interface Case {
  readonly id: string;
  readonly area: string;
}

const here = import.meta.dirname;
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    report: { type: 'string' },
    update: { type: 'boolean', default: false },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
const casesPath = join(here, 'apiserver-cases.jsonl');
const agreedPath = join(here, 'agreed.txt');
const cases = readFileSync(casesPath, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Case)
  .filter(({ id }) => new RegExp(values.only).test(id));

const clock = new RealClock();
const server = await ApiServer.open({ clock, random: new CryptoRandom(), state: join(folder, 'state.db') });
try {
  const certificates = await makeCertificates({ clock });
  const token = 'conformance-token';
  const { url } = await server.listen({ certificates, token });
  const kubeconfig = join(folder, 'kubeconfig.json');
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(url, certificates.ca, token)));
  const differences = await ask({ kubeconfig, cases: casesPath, crds: definitionFiles(), folder });
  if (values.report) writeFileSync(values.report, JSON.stringify(differences, undefined, 1));
  process.exitCode = compare(new Set(differences.map((row) => row.case)));
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

function kubeconfigOf(url: string, ca: string, token: string): unknown {
  const cluster = { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
}

/** Our definitions of custom resources, in files named as the cases ask for them. */
function definitionFiles(): string {
  const path = join(folder, 'crds');
  mkdirSync(path);
  for (const definition of CORE_DEFINITIONS) {
    const { group, names } = definition.spec;
    writeFileSync(join(path, `${group}_${names.plural}.yaml`), JSON.stringify(definition));
  }
  return path;
}

/** All that differs. Shards run beside each other, except those that change the whole cluster. */
async function ask(options: VerifyOptions): Promise<readonly Difference[]> {
  const { together, alone } = shardsOf(cases);
  const found = await Promise.all(together.map((ids, index) => verify({ ...options, run: `conf${index}`, ids })));
  for (const [index, ids] of alone.entries()) found.push(await verify({ ...options, run: `alone${index}`, ids }));
  return found.flat();
}

/** Prints agreed of total by area, and how that differs from agreed.txt. Returns the exit code. */
function compare(differing: ReadonlySet<string>): number {
  const agreed = new Set(cases.map(({ id }) => id).filter((id) => !differing.has(id)));
  for (const [area, list] of Map.groupBy(cases, (one) => one.area)) {
    print(`${String(list.filter(({ id }) => agreed.has(id)).length).padStart(5)} of ${list.length}  ${area}`);
  }
  print(`${agreed.size} of ${cases.length} agree`);
  const before = existsSync(agreedPath) ? readFileSync(agreedPath, 'utf8').split('\n').filter(Boolean) : [];
  const lost = before.filter((id) => differing.has(id));
  const won = [...agreed].filter((id) => !before.includes(id));
  if (won.length > 0) print(`newly agreed: ${won.length}\n  ${won.join('\n  ')}`);
  if (lost.length > 0) print(`agree no longer: ${lost.length}\n  ${lost.join('\n  ')}`);
  if (!values.update) return lost.length > 0 ? 1 : 0;
  const asked = new Set(cases.map(({ id }) => id));
  const kept = before.filter((id) => !asked.has(id));
  writeFileSync(agreedPath, `${[...kept, ...agreed].sort().join('\n')}\n`);
  return 0;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
