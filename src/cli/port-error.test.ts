import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { portError } from './port-error.ts';

/** Node's own error for listening on a port. */
async function failureOf(port: number): Promise<Error> {
  const { promise, resolve, reject } = Promise.withResolvers<Error>();
  const server = createServer().once('error', resolve);
  try {
    server.listen(port, () => server.close(() => reject(new Error('it listens'))));
  } catch (error) {
    return error as Error;
  }
  return await promise;
}

test('a port in use is told by its flag, with what else to set', async () => {
  const other = createServer();
  onTestFinished(() => void other.close());
  await new Promise<void>((resolve) => other.listen(0, resolve));
  const { port } = other.address() as { port: number };
  const error = portError(await failureOf(port), { 'metrics-port': 1, 'health-probe-port': port });
  expect(error?.message).toBe(`port ${port} of --health-probe-port is in use by another program`);
  expect(error?.hints).toEqual(['--health-probe-port N, or HEALTH_PROBE_PORT in the environment; 0 for none']);
});

test('a number that is no port is told by its flag', async () => {
  const error = portError(await failureOf(70_000), { 'metrics-port': 70_000, 'health-probe-port': 8081 });
  expect(error?.message).toBe('--metrics-port 70000 is no port: it has to be from 0 to 65535');
});

test('any other error is none of a port', () => {
  expect(portError(new Error('boom'), { 'metrics-port': 70_000 })).toBeUndefined();
});
