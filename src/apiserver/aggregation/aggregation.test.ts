import { createServer, request, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client, Resource } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { RealClock } from '../../operator/clock.ts';
import { SeededRandom } from '../../operator/random.ts';
import { ApiServer, makeCertificates, type ServerCertificates } from '../index.ts';

interface ApiService extends KubeObject {
  readonly spec?: unknown;
  readonly status?: { readonly conditions?: readonly { readonly status: string; readonly reason: string }[] };
}
const ApiServices: Resource<ApiService> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  plural: 'apiservices',
  kind: 'APIService',
  namespaced: false,
};
const Services: Resource<ApiService> = {
  group: '',
  version: 'v1',
  plural: 'services',
  kind: 'Service',
  namespaced: true,
};
const name = 'v1.things.example.com';
const clock = new RealClock();

let certificates: ServerCertificates;
let server: ApiServer;
let client: Client;
let url: string;
let remote: Server;
let port: number;
beforeEach(async () => {
  certificates = await makeCertificates({ clock });
  server = await ApiServer.open({ clock, random: new SeededRandom(1) });
  client = server.client();
  ({ url } = await server.listen({ certificates, token: 't' }));
  const tls = { cert: certificates.certificate, key: certificates.key, requestCert: true, rejectUnauthorized: false };
  remote = createServer(tls, (incoming, response) => {
    response.setHeader('content-type', 'application/json');
    if (incoming.url === '/apis/things.example.com/v1') {
      const resources = [{ name: 'things', singularName: 'thing', namespaced: true, kind: 'Thing', verbs: ['list'] }];
      response.end(JSON.stringify({ kind: 'APIResourceList', groupVersion: 'things.example.com/v1', resources }));
      return;
    }
    const { subject } = (incoming.socket as TLSSocket).getPeerCertificate();
    const { authorization, 'x-remote-user': user, 'x-remote-group': groups } = incoming.headers;
    response.end(JSON.stringify({ path: incoming.url, user, groups, authorization, by: subject.CN }));
  });
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  port = (remote.address() as AddressInfo).port;
});
afterEach(async () => {
  remote.closeAllConnections();
  await new Promise((resolve) => remote.close(resolve));
  await server.stop();
});

const announce = (): Promise<ApiService> =>
  client.create(ApiServices, {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name },
    spec: {
      group: 'things.example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { namespace: 'default', name: 'things', port },
    },
  });

/** The first condition that has a reason. */
async function reasonIs(wanted: string): Promise<void> {
  const signal = AbortSignal.timeout(10_000);
  for await (const { object } of client.watch(ApiServices, { resourceVersion: '0' }, signal)) {
    const { metadata, status } = object as ApiService;
    if (metadata.name === name && status?.conditions?.[0]?.reason === wanted) return;
  }
  throw new Error(`it never was ${wanted}`);
}

const get = (path: string, accept = 'application/json'): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer t', accept };
    const outgoing = request(`${url}${path}`, { ca: certificates.ca, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });

describe('an API of another server', () => {
  it('is unavailable until there is a way to it, and then requests go there with who asks', async () => {
    await announce();
    await reasonIs('ServiceNotFound');
    expect(await get('/apis/things.example.com/v1/things')).toEqual({ status: 503, text: 'service unavailable\n' });
    await client.create(Services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'things', namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await reasonIs('Passed');
    const { text } = await get('/apis/things.example.com/v1/namespaces/a/things?limit=1');
    expect(JSON.parse(text)).toEqual({
      path: '/apis/things.example.com/v1/namespaces/a/things?limit=1',
      user: 'kubernetes-admin',
      groups: 'system:masters, system:authenticated',
      by: 'front-proxy-client',
    });
  });

  it('is listed by discovery, stale while it can’t be reached', async () => {
    await announce();
    await reasonIs('ServiceNotFound');
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const entry = async () => {
      const { items } = JSON.parse((await get('/apis', aggregated)).text) as {
        items: readonly { metadata: { name?: string }; versions: readonly object[] }[];
      };
      return items.find(({ metadata }) => metadata.name === 'things.example.com')?.versions;
    };
    expect(await entry()).toEqual([{ version: 'v1', freshness: 'Stale' }]);
    await client.create(Services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'things', namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    await reasonIs('Passed');
    expect(await entry()).toMatchObject([{ version: 'v1', freshness: 'Current', resources: [{ resource: 'things' }] }]);
  });
});
