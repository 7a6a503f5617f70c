import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { answerUnknownMethods } from './unknown-methods.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** All that a connection gets until the server ends it, after it has sent `text`. */
async function exchange(text: string, headersTimeout: number): Promise<string> {
  const timeouts = { headersTimeout, requestTimeout: headersTimeout, connectionsCheckingInterval: 10 };
  server = createServer(timeouts, (_request, response) => response.end('ok'));
  answerUnknownMethods(server, async (request, response) => {
    response.end(`method ${request.method}`);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let got = '';
  socket.on('data', (chunk) => {
    got += chunk;
  });
  socket.write(text);
  await new Promise<void>((resolve, reject) => socket.once('close', () => resolve()).once('error', reject));
  return got;
}

test('a connection that never sends a request is closed without a word, as clients that keep spare ones expect', async () => {
  expect(await exchange('GET / HT', 20)).toBe('');
});

test('what is no HTTP is told so', async () => {
  expect(await exchange('\0\0\0\0\r\n\r\n', 5000)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
});

test('a method that does not exist is handled like any other', async () => {
  expect(await exchange('FROB / HTTP/1.1\r\nHost: x\r\n\r\n', 5000)).toMatch(/method FROB$/);
});
