/** As upstream: the rest is for what lies outside of the heap. */
const SHARE = 0.9;
const FLAG = '--max-old-space-size';
const MIB = 2 ** 20;

/**
 * Node's own options with a heap of 90 % of `limit` bytes; undefined when nothing is to be changed: no limit, or one that
 * these options have already.
 */
export function heapOptions(limit: number, execArgv: readonly string[]): readonly string[] | undefined {
  if (limit <= 0) return undefined;
  const wanted = `${FLAG}=${Math.max(Math.floor((limit * SHARE) / MIB), 1)}`;
  if (execArgv.includes(wanted)) return undefined;
  return [...execArgv.filter((option) => !option.startsWith(`${FLAG}=`)), wanted];
}

/**
 * Makes the heap of this process as large as a container's limit allows. V8 takes that at its start only, so the program
 * replaces itself by a new run under the same process id; where the system can't do that (Windows), Node's default stays.
 */
export function withinMemory(limit: number): void {
  const { argv, env, execArgv, execPath } = process;
  const options = heapOptions(limit, execArgv);
  if (options) process.execve?.(execPath, [execPath, ...options, ...argv.slice(1)], env);
}
