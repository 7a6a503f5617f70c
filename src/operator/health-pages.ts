import type { Page, PageMaker } from './http-endpoints.ts';

/** Results of checks by name. */
export type Checks = Readonly<Record<string, boolean>>;

/**
 * `path` for all checks, with the query `verbose` and `exclude`, and `path/NAME` for each: what kubelets and load
 * balancers ask for, as controller-runtime answers it.
 */
export function healthPages(path: string, checks: () => Checks): Readonly<Record<string, PageMaker>> {
  const one = (name: string): PageMaker => {
    return () =>
      checks()[name] ? { status: 200, body: 'ok' } : { status: 500, body: 'internal server error: not yet\n' };
  };
  const each = Object.keys(checks()).map((name) => [`${path}/${name}`, one(name)] as const);
  const all = (query: URLSearchParams): Page => allOf(checks(), query);
  return { [path]: all, [`${path}/`]: all, ...Object.fromEntries(each) };
}

function allOf(checks: Checks, query: URLSearchParams): Page {
  const excluded = new Set(query.getAll('exclude'));
  const names = Object.keys(checks).sort();
  const failed = names.some((name) => !checks[name] && !excluded.has(name));
  if (!failed && !query.has('verbose')) return { status: 200, body: 'ok' };
  const lines = names.map((name) =>
    excluded.has(name)
      ? `[+]${name} excluded: ok`
      : checks[name]
        ? `[+]${name} ok`
        : `[-]${name} failed: reason withheld`,
  );
  const unknown = [...excluded].filter((name) => !names.includes(name)).map((name) => `"${name}"`);
  if (unknown.length > 0) {
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown.join(', ')}`);
  }
  lines.push(failed ? 'healthz check failed' : 'healthz check passed');
  return { status: failed ? 500 : 200, body: `${lines.join('\n')}\n` };
}
