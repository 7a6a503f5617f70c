/** Writes schemas/, one file a report kind; with --check only says whether they are as they would be written. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPORT_SCHEMAS } from './schemas/reports.ts';

const folder = join(import.meta.dirname, '..', 'schemas');
const wanted = new Map(
  REPORT_SCHEMAS.map((schema) => [`${schema.title}.json`, `${JSON.stringify(schema, null, 2)}\n`]),
);

if (process.argv.includes('--check')) {
  const stale: string[] = [];
  for (const name of new Set([...wanted.keys(), ...(await readdir(folder))])) {
    if ((await readFile(join(folder, name), 'utf8').catch(() => '')) !== wanted.get(name)) stale.push(name);
  }
  if (stale.length > 0) {
    process.stderr.write(`stale: schemas/${stale.join(', schemas/')}; run node hack/generate-schemas.ts\n`);
    process.exitCode = 1;
  }
} else {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of wanted) await writeFile(join(folder, name), text);
}
