import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Client, Resource } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { ConfigMaps, Namespaces, Pods, ResourceQuotas } from '../../kube/resources.ts';
import { RealClock } from '../../operator/clock.ts';
import { SeededRandom } from '../../operator/random.ts';
import { ApiServer, makeCertificates } from '../index.ts';

interface AnyObject extends KubeObject {
  readonly [key: string]: unknown;
}

const clock = new RealClock();
let server: ApiServer;
let client: Client;
beforeEach(async () => {
  server = await ApiServer.open({ clock, random: new SeededRandom(1) });
  client = server.client();
});
afterEach(() => server.stop());

/** The object once it is as wanted. */
async function becomes(
  resource: Resource,
  namespace: string,
  name: string,
  wanted: (object: AnyObject) => boolean,
): Promise<AnyObject> {
  const signal = AbortSignal.timeout(10_000);
  for await (const { type, object } of client.watch(resource, { namespace, resourceVersion: '0' }, signal)) {
    const found = object as AnyObject;
    if (type !== 'DELETED' && found.metadata.name === name && wanted(found)) return found;
  }
  throw new Error('it never was');
}

const pod = (name: string, cpu: string) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu } } }] },
});

describe('a quota', () => {
  it('says how much of it is used, as objects come and go', async () => {
    const hard = { pods: '5', 'requests.cpu': '2', 'count/configmaps': '9' };
    await client.create(ResourceQuotas, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q', namespace: 'default' },
      spec: { hard },
    } as AnyObject);
    const used = (wanted: object) =>
      becomes(
        ResourceQuotas,
        'default',
        'q',
        ({ status }) => JSON.stringify(status) === JSON.stringify({ hard, used: wanted }),
      );
    await used({ 'count/configmaps': '0', pods: '0', 'requests.cpu': '0' });
    await client.create(Pods, pod('a', '300m'));
    await client.create(Pods, pod('b', '700m'));
    await used({ 'count/configmaps': '0', pods: '2', 'requests.cpu': '1' });
    await client.delete(Pods, { name: 'a', namespace: 'default' });
    await used({ 'count/configmaps': '0', pods: '1', 'requests.cpu': '700m' });
  });
});

describe('the certificate that the server is trusted by', () => {
  it('is in every namespace, also in new ones, and comes back', async () => {
    const certificates = await makeCertificates({ clock });
    await server.listen({ certificates, token: 't' });
    const namespace: AnyObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'new' } };
    await client.create(Namespaces, namespace);
    const ref = { name: 'kube-root-ca.crt', namespace: 'new' };
    const first = await becomes(ConfigMaps, 'new', ref.name, () => true);
    expect(first.data).toEqual({ 'ca.crt': certificates.ca });
    await client.delete(ConfigMaps, ref);
    const second = await becomes(ConfigMaps, 'new', ref.name, ({ metadata }) => metadata.uid !== first.metadata.uid);
    expect(second.data).toEqual(first.data);
  });
});
