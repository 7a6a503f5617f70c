import { Session } from 'node:inspector/promises';
import { getHeapSnapshot } from 'node:v8';
import type { Clock } from '../kube/clock.ts';
import type { Page, PageMaker } from './http-endpoints.ts';

const DEFAULT_SECONDS = 30;
const JSON_TYPE = 'application/json';

const INDEX = `/debug/pprof/

Paths are Go's, contents Node's:
  cmdline   the command line, its words separated by NUL
  heap      a heap snapshot: save it as .heapsnapshot and load it in the Memory tab of a Chromium browser
  profile   a CPU profile of ?seconds=30: save it as .cpuprofile and load it in the Performance tab
`;

/** What --enable-profiling serves on the metrics port: Go's paths, as far as Node has something to say there. */
export function profilingPages(
  clock: Pick<Clock, 'sleep'>,
  argv: readonly string[],
): Readonly<Record<string, PageMaker>> {
  return {
    '/debug/pprof/': () => ({ status: 200, body: INDEX }),
    '/debug/pprof/cmdline': () => ({ status: 200, body: argv.join('\0') }),
    '/debug/pprof/heap': () => ({ status: 200, body: getHeapSnapshot(), contentType: JSON_TYPE }),
    '/debug/pprof/profile': (query) => cpuProfile(clock, query.get('seconds')),
  };
}

async function cpuProfile(clock: Pick<Clock, 'sleep'>, asked: string | null): Promise<Page> {
  const seconds = Number(asked ?? DEFAULT_SECONDS);
  if (!(seconds > 0)) return { status: 400, body: `seconds must be a positive number, not ${asked}\n` };
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await clock.sleep(seconds * 1000);
    const { profile } = await session.post('Profiler.stop');
    return { status: 200, body: JSON.stringify(profile), contentType: JSON_TYPE };
  } finally {
    session.disconnect();
  }
}
