import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { needsFixedPort, untilPortIsFree } from './fixed-port.ts';
import { Program } from './process.ts';

/** What became of a spec. */
export interface Outcome {
  readonly passed: boolean;
  readonly seconds: number;
  /** Ginkgo's message; empty when it passed. */
  readonly failure: string;
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly LeafNodeText: string;
  readonly State: string;
  /** Nanoseconds. */
  readonly RunTime: number;
  readonly Failure?: {
    readonly Message: string;
    readonly Location: { readonly FileName: string; readonly LineNumber: number };
  };
}

interface SuiteReport {
  readonly SpecReports: readonly SpecReport[];
}

const NANOSECONDS = 1e9;
/** The longest specs take a quarter of an hour. */
const TIMEOUT_MINUTES = 40;
const title = (spec: SpecReport): string => [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' ');

async function readReport(file: string): Promise<readonly SpecReport[]> {
  const suites = JSON.parse(await readFile(file, 'utf8')) as readonly SuiteReport[];
  return suites.flatMap(({ SpecReports }) => SpecReports);
}

/** The titles of all specs of a suite, in its order. */
export async function listSpecs(suite: string, folder: string): Promise<readonly string[]> {
  const report = join(folder, 'specs.json');
  await promisify(execFile)(suite, ['-ginkgo.dry-run', '-ginkgo.seed=1', `-ginkgo.json-report=${report}`]);
  return (await readReport(report)).filter(({ LeafNodeType }) => LeafNodeType === 'It').map(title);
}

/** Where and how one spec runs. */
export interface SpecRun {
  readonly suite: string;
  readonly kubeconfig: string;
  /** For its output and report; exists. */
  readonly folder: string;
}

/** Runs one spec in a process of its own. Ends it when `signal` aborts. */
export async function runSpec(spec: string, run: SpecRun, signal: AbortSignal): Promise<Outcome> {
  const report = join(run.folder, 'report.json');
  if (needsFixedPort(spec)) await untilPortIsFree(signal);
  const started = performance.now();
  await using program = new Program(
    [
      run.suite,
      `-ginkgo.focus=^Regression ${literally(spec)}$`,
      `-ginkgo.json-report=${report}`,
      `-ginkgo.timeout=${TIMEOUT_MINUTES}m`,
      '-ginkgo.no-color',
      '-ginkgo.v',
      `-test.timeout=${TIMEOUT_MINUTES + 2}m`,
    ],
    join(run.folder, 'output.log'),
    { KUBECONFIG: run.kubeconfig },
  );
  await program.untilEnd(signal);
  signal.throwIfAborted();
  const ran = (await readReport(report).catch(() => [])).find((other) => title(other) === spec);
  if (!ran) {
    const seconds = (performance.now() - started) / 1000;
    return { passed: false, seconds, failure: 'the suite ended without a report' };
  }
  const { State, RunTime, Failure } = ran;
  return { passed: State === 'passed', seconds: RunTime / NANOSECONDS, failure: Failure ? failureText(Failure) : '' };
}

const failureText = ({ Message, Location }: NonNullable<SpecReport['Failure']>): string =>
  `${Location.FileName.split('/').at(-1)}:${Location.LineNumber}: ${Message}`;

const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
