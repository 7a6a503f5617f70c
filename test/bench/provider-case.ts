import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EC2_TYPES } from '../aws/ec2-types.ts';
import { runProcess } from './run-process.ts';
import { header, median, millis, row, times } from './table.ts';

/** Milliseconds of processor time, and how much there was to choose from. */
interface Measured {
  /** All types of a class, when nobody has asked for them before. */
  readonly typesFirst: number;
  readonly typesAgain: number;
  /** One claim like those before. */
  readonly launchAlike: number;
  /** One claim for the cheapest types by name, with a label that no claim before had. */
  readonly launchUnlike: number;
  /** Many claims at the same time. */
  readonly launchMany: number;
  readonly types: number;
  /** Types and zones of one fleet. */
  readonly overrides: number;
}

type Step = Exclude<keyof Measured, 'types' | 'overrides'>;

const HEADER = header(['what', 'ours, ms', 'upstream, ms', 'ratio']);

/**
 * The EC2 provider's launch path, ours and upstream's, both over a fake of EC2 in process.
 *
 * @param folder for the types that upstream is given
 * @returns a table
 */
export async function providerTable(folder: string, runs: string, launches: number): Promise<string> {
  const script = fileURLToPath(new URL('./measure-provider.ts', import.meta.url));
  const ours: Measured[] = [];
  for (let i = 0; i < Number(runs); i++) {
    ours.push(JSON.parse((await runProcess(process.execPath, [script, `${launches}`])).output));
  }
  const types = join(folder, 'ec2-types.json');
  const sold = [...EC2_TYPES.values()].map((type) => ({ ...type, SupportedVirtualizationTypes: ['hvm'] }));
  writeFileSync(types, JSON.stringify(sold));
  const theirs: Measured = JSON.parse((await runProcess(upstream(), [types, `${launches}`])).output);
  const line = (what: string, step: Step): string => {
    const [mine, yours] = [median(ours.map((each) => each[step])), theirs[step]];
    return row([what, millis(mine), millis(yours), times(yours / mine)]);
  };
  const count = `${theirs.overrides} types and zones`;
  return [
    HEADER,
    line(`${theirs.types} types of a class, first`, 'typesFirst'),
    line('the same again', 'typesAgain'),
    line(`a launch among ${count}, like the one before`, 'launchAlike'),
    line('a launch with labels that are new', 'launchUnlike'),
    line(`${launches} launches at once`, 'launchMany'),
  ].join('');
}

function upstream(): string {
  const tool = fileURLToPath(new URL('../../hack/go-tool', import.meta.url));
  return execFileSync(tool, ['oracle-ec2'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}
