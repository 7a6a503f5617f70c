import type { AwsApis, CallOptions } from '../../../src/aws-provider/aws-api/apis.ts';
import type { Clock } from '../../../src/kube/clock.ts';
import { awsError } from '../../aws/scripted-api.ts';
import type { AWS_FAULTS, Faults } from '../fault-kinds.ts';
import type { Lifeline } from '../lifeline.ts';

export interface TroubledApisDeps {
  readonly apis: AwsApis;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly lifeline: Lifeline;
  /** Whether the process is killed right after this launch. */
  readonly isDeadly: () => boolean;
}

type AnyCall = (input: never, options?: CallOptions) => Promise<unknown>;
type Trouble = (typeof AWS_FAULTS)[number];

const READ: readonly Trouble[] = ['aws throttled', 'aws out of order', 'aws unreachable', 'aws late'];
const WRITE: readonly Trouble[] = [...READ, 'aws done, but cut'];
const WRITES = /^(create|delete|terminate|add|remove)/;
const LATE = { least: 100, most: 20_000 };

/** AWS as one controller process reaches it, with what goes wrong on the way as `faults` says. */
export function troubledApis(deps: TroubledApisDeps): AwsApis {
  const entries = Object.entries(deps.apis).map(([service, api]) => [
    service,
    Object.fromEntries(
      Object.entries(api as Readonly<Record<string, AnyCall>>).map(([name, call]) => [
        name,
        troubled(deps, name, call),
      ]),
    ),
  ]);
  return Object.fromEntries(entries) as AwsApis;
}

function troubled({ clock, faults, lifeline, isDeadly }: TroubledApisDeps, name: string, call: AnyCall): AnyCall {
  const isWrite = WRITES.test(name);
  const answer: AnyCall = async (input, options) => {
    switch (faults.draw(isWrite ? WRITE : READ)) {
      case 'aws throttled':
        throw awsError('RequestLimitExceeded', 'Request limit exceeded.', 503);
      case 'aws out of order':
        throw awsError('InternalError', 'An internal error has occurred', 500);
      case 'aws unreachable':
        throw connectionLost();
      case 'aws done, but cut':
        await call(input, options);
        throw connectionLost();
      case 'aws late':
        await clock.sleep(faults.choices.integer(LATE.least, LATE.most), options?.signal);
    }
    const result = await call(input, options);
    if (name === 'createFleet' && isDeadly()) lifeline.end();
    return result;
  };
  return (input, options) => lifeline.through(() => answer(input, options), isWrite);
}

/** As the SDK tells of it: an error without an answer. */
const connectionLost = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
