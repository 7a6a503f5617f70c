/**
 * Asks the embedded API the questions that a real kube-apiserver v1.36.3 answered, and compares the answers.
 *
 *     node test/conformance/run.ts [--only REGEX] [--width N] [--report FILE] [--update] [--crds DIR]
 *
 * Exits with 1 if a case of agreed.txt agrees no longer. With --update, agreed.txt takes the cases that agree now.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ApiServer, makeCertificates } from '../../src/apiserver/index.ts';
import { RealClock } from '../../src/operator/clock.ts';
import { CryptoRandom } from '../../src/operator/random.ts';

interface Difference {
  readonly case: string;
}

interface Case {
  readonly id: string;
  readonly area: string;
}

const here = import.meta.dirname;
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    width: { type: 'string', default: '60' },
    report: { type: 'string' },
    crds: { type: 'string' },
    update: { type: 'boolean', default: false },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
const reportPath = values.report ?? join(folder, 'report.json');
const casesPath = join(here, 'apiserver-cases.jsonl');
const agreedPath = join(here, 'agreed.txt');

const clock = new RealClock();
const server = await ApiServer.open({ clock, random: new CryptoRandom(), state: join(folder, 'state.db') });
try {
  const certificates = await makeCertificates({ clock });
  const token = 'conformance-token';
  const { url } = await server.listen({ certificates, token });
  const kubeconfig = join(folder, 'kubeconfig.json');
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(url, certificates.ca, token)));
  const code = await verify(kubeconfig);
  process.exitCode = existsSync(reportPath) ? compare() : (code ?? 1);
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

/** Runs the recorder's verify and shows what it prints. */
function verify(kubeconfig: string): Promise<number | null> {
  const crds = values.crds ?? join(dirname(dirname(here)), 'src', 'apis', 'crds');
  const args = [join(here, 'apiserver_cases.py'), 'verify', '--kubeconfig', kubeconfig, '--cases', casesPath];
  args.push('--report', reportPath, '--only', values.only, '--width', values.width, '--wait', '3', '--crds', crds);
  const child = spawn('python3', args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', resolve);
  });
}

/** Prints agreed of total by area, and how that differs from agreed.txt. */
function compare(): number {
  const pattern = new RegExp(values.only);
  const cases = readFileSync(casesPath, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Case)
    .filter(({ id }) => pattern.test(id));
  const differing = new Set((JSON.parse(readFileSync(reportPath, 'utf8')) as Difference[]).map((row) => row.case));
  const agreed = new Set(cases.map(({ id }) => id).filter((id) => !differing.has(id)));
  const areas = Map.groupBy(cases, ({ area }) => area);
  for (const [area, list] of areas) {
    print(`${String(list.filter(({ id }) => agreed.has(id)).length).padStart(5)} of ${list.length}  ${area}`);
  }
  print(`${agreed.size} of ${cases.length} agree`);
  const before = existsSync(agreedPath) ? readFileSync(agreedPath, 'utf8').split('\n').filter(Boolean) : [];
  const lost = before.filter((id) => pattern.test(id) && !agreed.has(id));
  const won = [...agreed].filter((id) => !before.includes(id));
  if (won.length > 0) print(`newly agreed: ${won.length}\n  ${won.join('\n  ')}`);
  if (lost.length > 0) print(`agree no longer: ${lost.length}\n  ${lost.join('\n  ')}`);
  if (values.update) {
    const kept = before.filter((id) => !pattern.test(id));
    writeFileSync(agreedPath, `${[...kept, ...agreed].sort().join('\n')}\n`);
    return 0;
  }
  return lost.length > 0 ? 1 : 0;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
