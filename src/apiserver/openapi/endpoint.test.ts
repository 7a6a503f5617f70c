import { expect, it } from 'vitest';
import { BuiltinTypes } from '../types/index.ts';
import { OpenApiEndpoint, type OpenApiResource } from './index.ts';

const configMap: OpenApiResource = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  verbs: ['get', 'list'],
  subresources: [],
};
const lease: OpenApiResource = { ...configMap, group: 'coordination.k8s.io', kind: 'Lease', plural: 'leases' };

function serve() {
  const served = [configMap];
  let revision = 0;
  const endpoint = new OpenApiEndpoint({
    types: new BuiltinTypes(),
    version: 'v1.36.3',
    resources: () => served,
    revision: () => revision,
  });
  return {
    ask: (path: string, query = '', headers = {}) => endpoint.answer(path, new URLSearchParams(query), headers),
    add(resource: OpenApiResource) {
      served.push(resource);
      revision++;
    },
  };
}

it('sends a document once, and says so when it has not changed', async () => {
  const { ask } = serve();
  const first = await ask('/openapi/v3/api/v1');
  expect(first).toMatchObject({ status: 200, contentType: 'application/json' });
  const etag = first?.headers?.ETag;
  expect(await ask('/openapi/v3/api/v1', '', { 'if-none-match': etag })).toMatchObject({ status: 304, body: '' });
});

it('sends a client with an old hash to the current one', async () => {
  const { ask } = serve();
  const moved = await ask('/openapi/v3/api/v1', 'hash=old');
  expect(moved).toMatchObject({ status: 301, body: '' });
  const location = new URL(moved?.headers?.Location ?? '', 'https://localhost');
  const found = await ask(location.pathname, location.search);
  expect(found).toMatchObject({ status: 200, headers: { 'Cache-Control': 'public, immutable' } });
});

it('shows resources as they come', async () => {
  const { ask, add } = serve();
  expect(await ask('/openapi/v3/apis/coordination.k8s.io/v1')).toMatchObject({ status: 404 });
  add(lease);
  expect(await ask('/openapi/v3/apis/coordination.k8s.io/v1')).toMatchObject({ status: 200 });
});

it('leaves other paths to others', async () => {
  expect(await serve().ask('/openapi/v4')).toBeUndefined();
});

it('sends v2 as protobuf to those who ask for it', async () => {
  const accept = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf,application/json';
  const answer = await serve().ask('/openapi/v2', '', { accept });
  expect(answer?.contentType).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
  expect(answer?.body).toBeInstanceOf(Uint8Array);
  const bytes = Buffer.from(answer?.body as Uint8Array);
  // Field 1 is the version of the format.
  expect(bytes.subarray(0, 5).toString('latin1')).toBe('\n\u00032.0');
  expect(bytes.includes('io.k8s.api.core.v1.ConfigMap')).toBe(true);
  expect(await serve().ask('/openapi/v2')).toMatchObject({ contentType: 'application/json' });
});

it('keeps the documents of other groups as they are when one changes', async () => {
  const { ask, add } = serve();
  const before = await ask('/openapi/v3/api/v1');
  add(lease);
  expect((await ask('/openapi/v3/api/v1'))?.body).toBe(before?.body);
  add({ ...configMap, kind: 'Secret', plural: 'secrets' });
  expect((await ask('/openapi/v3/api/v1'))?.body).not.toBe(before?.body);
});
