/**
 * Writes the tables of Kubernetes' types with the Go program in hack/generate-types: of the built-in ones for the embedded
 * API, and of the kubelet's configuration. `--check` compares instead, and fails where a file is stale. Needs Go; without
 * it, says so.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Table {
  readonly flags: readonly string[];
  readonly file: string;
}

const TABLES: readonly Table[] = [
  { flags: [], file: '../src/apiserver/types/builtin.generated.json' },
  { flags: ['-kubelet'], file: '../src/aws-provider/kubelet/kubelet-types.generated.json' },
];

const generator = fileURLToPath(new URL('generate-types', import.meta.url));

/** Exit status: 0 done or the same, 1 stale or failed; a missing Go only leaves the check out. */
function write({ flags, file }: Table, check: boolean): number {
  const run = spawnSync('go', ['run', '.', ...flags], {
    cwd: generator,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (run.error !== undefined) {
    console.error(`generate-types: left out, Go can't be run (${run.error.message})`);
    return check ? 0 : 1;
  }
  if (run.status !== 0) {
    console.error(run.stderr);
    return 1;
  }
  const target = fileURLToPath(new URL(file, import.meta.url));
  if (!check) {
    writeFileSync(target, run.stdout);
    return 0;
  }
  if (readFileSync(target, 'utf8') === run.stdout) return 0;
  console.error(`generate-types: ${basename(target)} is stale; run \`node hack/generate-types.ts\``);
  return 1;
}

const check = process.argv.includes('--check');
process.exitCode = Math.max(...TABLES.map((table) => write(table, check)));
