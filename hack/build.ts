/**
 * Builds the program into dist/: one entrance and lazily loaded chunks, so that `--help` reads little. Old chunks stay
 * for a day, because a running `up` may still load one of them.
 */
// Some packages can't be imported without it.
import 'reflect-metadata';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const KEEP_OLD_CHUNKS_MS = 24 * 3600 * 1000;
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const startedAt = new Date();

/** Packages written as CommonJS expect these three. */
const banner = [
  "import { createRequire as __createRequire } from 'node:module';",
  'const require = __createRequire(import.meta.url);',
  'const __filename = import.meta.filename;',
  'const __dirname = import.meta.dirname;',
].join('\n');

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * `await import('a-commonjs-package')` has named exports in Node.js, but only a default one in a bundle. This gives the
 * bundle the names that Node.js finds.
 */
const namedExportsOfLazyPackages: Plugin = {
  name: 'named-exports-of-lazy-packages',
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || path.startsWith('node:') || pluginData === 'inner') return undefined;
      const found = await resolve(path, { kind, resolveDir, pluginData: 'inner' });
      if (found.errors.length > 0 || found.external) return undefined;
      const source = await readFile(found.path, 'utf8');
      if (/^\s*(?:export|import)\s/m.test(source)) return undefined;
      return { path, namespace: 'named-exports', pluginData: resolveDir };
    });
    onLoad({ filter: /.*/, namespace: 'named-exports' }, async ({ path, pluginData }) => {
      const names = Object.keys(await import(path)).filter((name) => IDENTIFIER.test(name) && name !== 'default');
      const lines = names.map((name) => `const $${name} = all.${name};\nexport { $${name} as ${name} };`);
      const contents = `import all from ${JSON.stringify(path)};\n${lines.join('\n')}\nexport default all;\n`;
      return { contents, resolveDir: pluginData };
    });
  },
};

const result = await build({
  absWorkingDir: root,
  entryPoints: { main: 'bin/main.ts', complete: 'bin/complete.ts' },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  // The AWS SDK's ES modules can be cut down to the calls that are made: 1.6 MB of EC2 become 0.8.
  mainFields: ['module', 'main'],
  minifyWhitespace: true,
  minifySyntax: true,
  keepNames: false,
  legalComments: 'none',
  banner: { js: banner },
  loader: { '.yaml': 'text' },
  logLevel: 'warning',
  metafile: true,
  write: false,
  plugins: [namedExportsOfLazyPackages],
});

const written = new Set(Object.keys(result.metafile.outputs).map((path) => path.replace(/^dist\//, '')));
await mkdir(dist, { recursive: true });
// Renamed into place, so that a program that starts meanwhile finds the old file or the new one, and nothing in between.
for (const { path, contents } of result.outputFiles) {
  const beside = `${path}.${process.pid}`;
  await writeFile(beside, contents);
  await rename(beside, path);
}
for (const file of await readdir(dist)) {
  if (written.has(file) || file === '.built' || !file.endsWith('.js')) continue;
  const { mtimeMs } = await stat(join(dist, file));
  if (startedAt.getTime() - mtimeMs > KEEP_OLD_CHUNKS_MS) await rm(join(dist, file));
}
const stamp = join(dist, '.built');
await writeFile(stamp, '');
// The time at which the sources were read, not the time of the writing: an edit in between makes the next start build.
await utimes(stamp, startedAt, startedAt);
