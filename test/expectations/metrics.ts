import type { PromMetrics } from '../../src/operator/prom-metrics.ts';

/** Values of one metric by their labels, as they are exposed now; only those with all of `labels`. */
export async function samples(
  metrics: Pick<PromMetrics, 'text'>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<readonly Sample[]> {
  const { body } = await metrics.text();
  return body
    .split('\n')
    .flatMap((line) => parse(name, line) ?? [])
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value));
}

/** The value of the only series of a metric that has these labels; undefined when there is none. */
export async function sample(
  metrics: Pick<PromMetrics, 'text'>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const found = await samples(metrics, name, labels);
  if (found.length > 1) throw new Error(`${found.length} series of ${name}: ${JSON.stringify(found)}`);
  return found[0]?.value;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function parse(name: string, line: string): Sample | undefined {
  const [, found, text = '', value] = /^([\w:]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (found !== name) return undefined;
  const labels = [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', label = '']) => [key, label]);
  return { labels: Object.fromEntries(labels), value: Number(value) };
}
