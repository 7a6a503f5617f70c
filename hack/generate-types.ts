/**
 * Writes src/apiserver/types/builtin.generated.json, the table of Kubernetes' built-in types, with the Go program in
 * hack/generate-types. `--check` compares instead, and fails where the file is stale. Needs Go; without it, says so.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const generator = fileURLToPath(new URL('generate-types', import.meta.url));
const target = fileURLToPath(new URL('../src/apiserver/types/builtin.generated.json', import.meta.url));

/** Exit status: 0 done or the same, 1 stale or failed; a missing Go only leaves the check out. */
function main(check: boolean): number {
  const run = spawnSync('go', ['run', '.'], { cwd: generator, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (run.error !== undefined) {
    console.error(`generate-types: left out, Go can't be run (${run.error.message})`);
    return check ? 0 : 1;
  }
  if (run.status !== 0) {
    console.error(run.stderr);
    return 1;
  }
  if (!check) {
    writeFileSync(target, run.stdout);
    return 0;
  }
  if (readFileSync(target, 'utf8') === run.stdout) return 0;
  console.error('generate-types: builtin.generated.json is stale; run `node hack/generate-types.ts`');
  return 1;
}

process.exitCode = main(process.argv.includes('--check'));
