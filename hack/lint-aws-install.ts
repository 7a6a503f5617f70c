/**
 * Holds install/aws to the tools that people judge such files with: cfn-lint for the template, parliament for the policies,
 * Terraform itself for form and for the documents that its module makes, checkov for the module's resources. The tools of
 * Python are installed once, outside the work tree. What can't be had is said and left out, which fails where CI=true.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { pythonWith } from './python-packages.ts';

const folder = join(import.meta.dirname, '..', 'install', 'aws');
const temporary = mkdtempSync(join(tmpdir(), 'lint-aws-'));

const SCOPE = {
  partition: 'aws',
  region: 'eu-west-1',
  account_id: '123456789012',
  cluster_name: 'demo',
  node_role_arn: 'arn:aws:iam::123456789012:role/KarpenterNodeRole-demo',
  queue_arn: 'arn:aws:sqs:eu-west-1:123456789012:demo',
};

/** What parliament finds, and is meant: file and kind of finding, once for each time. */
const MEANT: readonly string[] = [
  // A launch touches resources of many types: those that others own, launch templates of the cluster, and what is made with
  // its tags. There is one statement for each, so that none has them all.
  'node-lifecycle.json RESOURCE_MISMATCH',
  'node-lifecycle.json RESOURCE_MISMATCH',
  'node-lifecycle.json RESOURCE_MISMATCH',
  // Parameters that AWS publishes belong to no account.
  'resource-discovery.json RESOURCE_MISMATCH',
  // Scoped to the cluster by its condition.
  'zonal-shift.json RESOURCE_STAR',
];

interface Ran {
  readonly isGood: boolean;
  readonly stdout: string;
  readonly output: string;
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const { error, status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  return {
    isGood: error === undefined && status === 0,
    stdout: stdout ?? '',
    output: `${error?.message ?? ''}${stdout}${stderr}`,
  };
}

const problems: string[] = [];
const missing: string[] = [];

function check(what: string, { isGood, output }: Ran): void {
  if (!isGood) problems.push(`${what}:\n${output.trim()}`);
}

/** Where the programs of a set of Python's packages are; undefined when they can't be had. */
function programsOf(set: 'aws' | 'checkov'): string | undefined {
  const python = pythonWith(set);
  if (!('problem' in python)) return python.bin;
  missing.push(python.problem);
  return undefined;
}

/** The policies as IAM would get them. */
function filledPolicies(): ReadonlyMap<string, string> {
  const names = readdirSync(join(folder, 'policies'));
  return new Map(
    names.map((name) => {
      const text = readFileSync(join(folder, 'policies', name), 'utf8');
      return [name, text.replace(/\$\{(\w+)\}/g, (_, key: keyof typeof SCOPE) => SCOPE[key])];
    }),
  );
}

function checkPolicies(parliament: string): void {
  const files = join(temporary, 'policies');
  mkdirSync(files);
  for (const [name, text] of filledPolicies()) writeFileSync(join(files, name), text);
  const { stdout } = run(parliament, ['--directory', files, '--json']);
  const found = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { issue, location } = JSON.parse(line) as {
        readonly issue: string;
        readonly location: { readonly filepath: string };
      };
      return { kind: `${location.filepath.slice(files.length + 1)} ${issue}`, line };
    });
  const left = [...MEANT];
  for (const { kind, line } of found) {
    const at = left.indexOf(kind);
    if (at < 0) problems.push(`parliament: ${line}`);
    else left.splice(at, 1);
  }
  if (left.length > 0) problems.push(`parliament does not find any more: ${left.join(', ')}`);
}

function checkTerraform(): void {
  if (!run('terraform', ['version']).isGood) {
    missing.push('terraform');
    return;
  }
  const module = join(folder, 'terraform');
  check('terraform fmt', run('terraform', ['fmt', '-check', '-diff', '-recursive', module]));
  const documents = `-chdir=${join(module, 'documents')}`;
  const env = { TF_DATA_DIR: join(temporary, 'terraform'), CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' };
  check('terraform init', run('terraform', [documents, 'init', '-backend=false', '-input=false'], env));
  check('terraform validate', run('terraform', [documents, 'validate'], env));
  for (const by of ['pod-identity', 'ec2', 'oidc']) {
    const state = join(temporary, `${by}.tfstate`);
    const variables = join(temporary, `${by}.tfvars.json`);
    const trust = {
      by,
      dns_suffix: 'amazonaws.com',
      oidc_provider_arn: 'arn:aws:iam::123456789012:oidc-provider/oidc.example.com/id/A',
      namespace: 'karpenter',
      service_account: 'karpenter',
    };
    writeFileSync(variables, JSON.stringify({ scope: SCOPE, on_eks: by !== 'ec2', trust }));
    const apply = ['apply', '-auto-approve', '-input=false', `-state=${state}`, '-backup=-', `-var-file=${variables}`];
    const applied = run('terraform', [documents, ...apply], env);
    check('terraform apply of the documents', applied);
    if (applied.isGood) checkDocuments(by, JSON.parse(readFileSync(state, 'utf8')).outputs);
  }
}

type Outputs = Readonly<Record<string, { readonly value: unknown }>>;

/** What the module hands to AWS is what the policies say, and its trusts are policies. */
function checkDocuments(by: string, outputs: Outputs): void {
  const policies = Object.entries(outputs.policies?.value as Readonly<Record<string, string>>);
  const wanted = [...filledPolicies()].filter(
    ([name]) => by !== 'ec2' || !/^(eks-integration|zonal-shift)\.json$/.test(name),
  );
  const made = new Map(policies.map(([name, text]) => [`${name}.json`, JSON.parse(text) as unknown]));
  if (!isDeepStrictEqual(made, new Map(wanted.map(([name, text]) => [name, JSON.parse(text) as unknown])))) {
    problems.push(`terraform/documents makes other policies than install/aws/policies has (${by})`);
  }
  const { Statement } = JSON.parse(String(outputs.controller_trust?.value)) as {
    readonly Statement: readonly object[];
  };
  const issuer = JSON.stringify(Statement).includes('oidc.example.com/id/A:sub');
  if (Statement.length !== 1 || issuer !== (by === 'oidc')) problems.push(`terraform/documents: odd trust for ${by}`);
}

const tools = programsOf('aws');
if (tools !== undefined) {
  check('cfn-lint', run(join(tools, 'cfn-lint'), ['--', join(folder, 'cloudformation.yaml')]));
  checkPolicies(join(tools, 'parliament'));
}
const scanner = programsOf('checkov');
if (scanner !== undefined) {
  const quiet = ['--quiet', '--compact', '--skip-download', '--skip-results-upload'];
  check(
    'checkov',
    run(join(scanner, 'checkov'), ['-d', join(folder, 'terraform'), '--framework', 'terraform', ...quiet]),
  );
}
checkTerraform();
rmSync(temporary, { recursive: true });
if (missing.length > 0) process.stderr.write(`lint-aws-install: left out, for want of: ${missing.join('; ')}\n`);
if (problems.length > 0) process.stderr.write(`${problems.join('\n\n')}\n`);
if (problems.length > 0 || (missing.length > 0 && process.env.CI === 'true')) process.exitCode = 1;
