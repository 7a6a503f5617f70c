import { request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiServer, makeCertificates, type ServerCertificates } from '../../src/apiserver/index.ts';
import { RealClock } from '../../src/operator/clock.ts';
import { SeededRandom } from '../../src/operator/random.ts';

let server: ApiServer;
let certificates: ServerCertificates;
let url: string;
beforeAll(async () => {
  const clock = new RealClock();
  server = await ApiServer.open({ clock, random: new SeededRandom(1) });
  certificates = await makeCertificates({ clock });
  ({ url } = await server.listen({ certificates, token: 'secret' }));
});
afterAll(() => server.stop());

const JSON_TYPE = 'application/json';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

interface Reply {
  readonly code: number | undefined;
  readonly text: string;
}

/** The path goes out as it is. */
function ask(method: string, path: string, body?: string | Buffer, type = JSON_TYPE): Promise<Reply> {
  const headers = { authorization: 'Bearer secret', ...(body === undefined ? {} : { 'content-type': type }) };
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const asked = request({ hostname, port, path, method, headers, ca: certificates.ca }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => resolve({ code: response.statusCode, text: Buffer.concat(parts).toString() }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const DEEP = 20_000;
const configMap = (name: string, data: object = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const asking = (requests: object) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'a', image: 'b', resources: { requests } }] },
  });

type Refused = readonly [
  what: string,
  code: number,
  method: string,
  path: string,
  body?: string | Buffer,
  type?: string,
];

describe('the embedded API refuses', () => {
  const refused: readonly Refused[] = [
    ['half an object', 400, 'POST', CONFIG_MAPS, '{'],
    ['nothing', 400, 'POST', CONFIG_MAPS, ''],
    ['null', 422, 'POST', CONFIG_MAPS, 'null'],
    ['a list', 400, 'POST', CONFIG_MAPS, '[]'],
    ['lists without end', 400, 'POST', CONFIG_MAPS, '['.repeat(DEEP) + ']'.repeat(DEEP)],
    ['objects without end', 400, 'POST', CONFIG_MAPS, `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`],
    ['YAML without end', 400, 'POST', CONFIG_MAPS, '['.repeat(DEEP), 'application/yaml'],
    ['bytes that are no text', 400, 'POST', CONFIG_MAPS, Buffer.from([0xff, 0xfe, 1])],
    [
      'broken protobuf',
      400,
      'POST',
      CONFIG_MAPS,
      Buffer.from([0x6b, 0x38, 0x73, 0, 255, 255]),
      'application/vnd.kubernetes.protobuf',
    ],
    [
      'a kind that every object has',
      400,
      'POST',
      CONFIG_MAPS,
      '{"apiVersion":"v1","kind":"constructor","metadata":{"name":"a"}}',
    ],
    [
      'a version that every object has',
      400,
      'POST',
      CONFIG_MAPS,
      '{"apiVersion":"__proto__","kind":"ConfigMap","metadata":{"name":"a"}}',
    ],
    ['a resource that every object has', 422, 'POST', '/api/v1/namespaces/default/pods', asking({ constructor: '1' })],
    ['a path with a broken escape', 400, 'GET', '/%zz'],
    ['a group that every object has', 404, 'GET', '/apis/constructor/v1/pods'],
    ['a selector with a zero byte', 400, 'GET', '/api/v1/pods?labelSelector=%00'],
    ['a field that every object has', 400, 'GET', '/api/v1/pods?fieldSelector=constructor%3Da'],
    ['a broken continue token', 400, 'GET', '/api/v1/pods?continue=%FF'],
  ];
  test.each(refused.map((row) => ({ what: row[0], code: row[1], row })))('$what with $code', async ({ code, row }) => {
    const [, , method, path, body, type] = row;
    const reply = await ask(method, path, body, type);
    expect(reply.text).not.toMatch(/\n {4}at |InternalError/);
    expect(reply.code).toBe(code);
  });
});

test('names that every object has are keys of data and labels, and patches of them change nothing else', async () => {
  const body = configMap('names').replace('"data":{}', '"data":{"constructor":"a"}');
  expect((await ask('POST', CONFIG_MAPS, body)).code).toBe(201);
  const patches = [
    ['[{"op":"add","path":"/data/toString","value":"b"}]', 'application/json-patch+json', 200],
    ['[{"op":"add","path":"/__proto__/polluted","value":"b"}]', 'application/json-patch+json', 422],
    ['{"data":{"valueOf":"c","__proto__":"d"}}', 'application/merge-patch+json', 200],
    ['{"metadata":{"labels":{"hasOwnProperty":"e"}}}', 'application/strategic-merge-patch+json', 200],
  ] as const;
  for (const [patch, type, code] of patches) {
    expect((await ask('PATCH', `${CONFIG_MAPS}/names`, patch, type)).code, patch).toBe(code);
  }
  const { data, metadata } = JSON.parse((await ask('GET', `${CONFIG_MAPS}/names`)).text);
  expect(Object.entries(data)).toEqual(
    expect.arrayContaining([
      ['constructor', 'a'],
      ['toString', 'b'],
      ['valueOf', 'c'],
    ]),
  );
  expect(metadata.labels).toHaveProperty('hasOwnProperty', 'e');
  expect('polluted' in {}).toBe(false);
});

test('what is no request, behind one that is still being answered, ends the connection and nothing else', async () => {
  const { hostname, port } = new URL(url);
  const head = 'Host: a\r\nAuthorization: Bearer secret\r\n\r\n';
  await new Promise<void>((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ca: certificates.ca }, () => {
      socket.end(`GET /api/v1/pods HTTP/1.1\r\n${head}NONSENSE /api/v1/pods HTTP/1.1\r\n${head}`);
    });
    socket.resume();
    socket.on('close', () => resolve());
    socket.on('error', reject);
  });
  expect((await ask('GET', '/readyz')).code).toBe(200);
});
