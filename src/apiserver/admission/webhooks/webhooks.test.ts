import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AnyObject, refusal, resource } from '../../../../test/support/api-objects.ts';
import type { Client } from '../../../kube/client.ts';
import { RealClock } from '../../../operator/clock.ts';
import { SeededRandom } from '../../../operator/random.ts';
import { ApiServer, makeCertificates, type ServerCertificates } from '../../index.ts';

interface Review {
  readonly request: {
    readonly uid: string;
    readonly operation: string;
    readonly dryRun: boolean;
    readonly subResource?: string;
    readonly kind: { readonly kind: string };
    readonly object: AnyObject | null;
    readonly oldObject: AnyObject | null;
  };
}
type Answer = (review: Review) => object | undefined;

const ConfigMaps = resource('', 'configmaps', 'ConfigMap');
const Services = resource('', 'services', 'Service');
const Pods = resource('', 'pods', 'Pod');

const clock = new RealClock();
let certificates: ServerCertificates;
let client: Client;
let server: ApiServer;
const hooks: Server[] = [];

beforeAll(async () => {
  certificates = await makeCertificates({ clock });
});
beforeEach(async () => {
  server = await ApiServer.open({ clock, random: new SeededRandom(1) });
  client = server.client();
});
afterEach(async () => {
  await server.stop();
  for (const hook of hooks.splice(0)) {
    hook.closeAllConnections();
    await new Promise((resolve) => hook.close(resolve));
  }
});

/** A webhook that answers reviews as told, and never where it is told nothing. Resolves to its port. */
async function listen(answer: Answer): Promise<number> {
  const { certificate, key } = certificates;
  const hook = createServer({ cert: certificate, key }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Review;
      const given = answer(review);
      if (given === undefined) return;
      const { uid } = review.request;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...given } }),
      );
    });
  });
  hooks.push(hook);
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  return (hook.address() as AddressInfo).port;
}

const patch = (...operations: readonly object[]): object => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

async function configure(sort: 'Validating' | 'Mutating', ...webhooks: readonly object[]): Promise<void> {
  const kind = `${sort}WebhookConfiguration`;
  await client.create(resource('admissionregistration.k8s.io', `${kind.toLowerCase()}s`, kind, false), {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: 'c' },
    webhooks: webhooks.map((webhook, at) => ({
      name: `w${at}.example.com`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      ...webhook,
    })),
  });
}

const at = (port: number, rest: object = {}): object => ({
  clientConfig: { url: `https://127.0.0.1:${port}/x`, caBundle: Buffer.from(certificates.ca).toString('base64') },
  ...rest,
});

const configMap = (name: string, rest: object = {}): AnyObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  ...rest,
});

describe('a validating webhook', () => {
  it('refuses with its own code and words, and sees what was there on updates and deletions', async () => {
    const seen: string[] = [];
    const port = await listen(({ request }) => {
      seen.push(`${request.operation} ${request.object !== null} ${request.oldObject !== null}`);
      const refused = request.operation === 'DELETE';
      return { allowed: !refused, ...(refused ? { status: { code: 418, message: 'never' } } : {}) };
    });
    await configure('Validating', at(port));
    await client.create(ConfigMaps, configMap('a'));
    await client.update(ConfigMaps, configMap('a', { data: { k: 'v' } }));
    expect(await refusal(client.delete(ConfigMaps, { name: 'a', namespace: 'default' }))).toBe(
      '418 admission webhook "w0.example.com" denied the request: never',
    );
    expect(seen).toEqual(['CREATE true false', 'UPDATE true true', 'DELETE false true']);
  });

  it('that does not answer in time refuses, or is passed over', async () => {
    const port = await listen(() => undefined);
    await configure('Validating', at(port, { timeoutSeconds: 1 }));
    expect(await refusal(client.create(ConfigMaps, configMap('a')))).toBe(
      `500 Internal error occurred: failed calling webhook "w0.example.com": failed to call webhook: Post "https://127.0.0.1:${port}/x?timeout=1s": context deadline exceeded`,
    );
    const Configurations = resource(
      'admissionregistration.k8s.io',
      'validatingwebhookconfigurations',
      'ValidatingWebhookConfiguration',
      false,
    );
    const open = [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }];
    await client.patch(Configurations, { name: 'c' }, { type: 'json', body: open });
    expect(await refusal(client.create(ConfigMaps, configMap('a')))).toBe('');
  });

  it('isn’t trusted with a certificate of somebody else', async () => {
    const port = await listen(() => ({ allowed: true }));
    const url = `https://127.0.0.1:${port}/x`;
    const caBundle = Buffer.from((await makeCertificates({ clock })).ca).toString('base64');
    await configure('Validating', { clientConfig: { url, caBundle } });
    expect(await refusal(client.create(ConfigMaps, configMap('a')))).toMatch(/^500 .*failed to verify certificate/);
  });

  it('is found behind a service', async () => {
    const port = await listen(() => ({ allowed: false }));
    const name = 'hook';
    await client.create(Services, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    const caBundle = Buffer.from(certificates.ca).toString('base64');
    await configure('Validating', { clientConfig: { service: { name, namespace: 'default', port }, caBundle } });
    // The certificate is for localhost, while the name that counts is the service's.
    expect(await refusal(client.create(ConfigMaps, configMap('a')))).toContain('x509: certificate is not valid');
  });

  it('is asked about evictions and bindings, with their bodies', async () => {
    const seen: string[] = [];
    const port = await listen(({ request }) => {
      seen.push(`${request.operation} ${request.kind.kind} ${request.subResource}`);
      return { allowed: true };
    });
    const rules = [
      { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['pods/binding', 'pods/eviction'] },
    ];
    await configure('Validating', at(port, { rules }));
    const metadata = { name: 'p', namespace: 'default' };
    await client.create(Pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const target = { kind: 'Node', name: 'n' };
    await client.create(Pods, { apiVersion: 'v1', kind: 'Binding', metadata, target }, { subresource: 'binding' });
    await client.create(Pods, { apiVersion: 'policy/v1', kind: 'Eviction', metadata }, { subresource: 'eviction' });
    expect(seen).toEqual(['CREATE Binding binding', 'CREATE Eviction eviction']);
  });
});

describe('a mutating webhook', () => {
  it('changes what is written, which the next one and validation see', async () => {
    const first = await listen(() => patch({ op: 'add', path: '/data', value: { a: '1' } }));
    const second = await listen(({ request }) =>
      request.object?.data === undefined ? { allowed: false } : patch({ op: 'add', path: '/data/b', value: '2' }),
    );
    await configure('Mutating', at(first), at(second));
    expect((await client.create(ConfigMaps, configMap('a'))).data).toEqual({ a: '1', b: '2' });
  });

  it('is asked once more after a later one has changed the object, if it wants', async () => {
    const calls: number[] = [0, 0];
    const counting = (nth: number, answer: Answer) => (review: Review) => {
      calls[nth] = (calls[nth] ?? 0) + 1;
      return answer(review);
    };
    const first = await listen(counting(0, () => ({ allowed: true })));
    const second = await listen(counting(1, () => patch({ op: 'add', path: '/data', value: { a: '1' } })));
    await configure('Mutating', at(first, { reinvocationPolicy: 'IfNeeded' }), at(second));
    await client.create(ConfigMaps, configMap('a'));
    expect(calls).toEqual([2, 1]);
  });

  it('whose answer is no answer refuses', async () => {
    const port = await listen(() => ({ allowed: true, patch: 'W10=' }));
    await configure('Mutating', at(port));
    expect(await refusal(client.create(ConfigMaps, configMap('a')))).toContain(
      'received invalid webhook response: webhook returned response.patch but not response.patchType',
    );
  });

  it('lets an update through that somebody else’s write overtook while it was thinking', async () => {
    let overtaken: Promise<unknown> | undefined;
    const port = await listen(({ request }) => {
      if (request.operation !== 'UPDATE' || overtaken !== undefined) return { allowed: true };
      overtaken = client.patch(
        ConfigMaps,
        { name: 'a', namespace: 'default' },
        { type: 'merge', body: { data: { other: '1' } } },
      );
      return { allowed: true };
    });
    await configure('Mutating', at(port));
    await client.create(ConfigMaps, configMap('a'));
    await client.patch(
      ConfigMaps,
      { name: 'a', namespace: 'default' },
      { type: 'merge', body: { data: { mine: '1' } } },
    );
    await overtaken;
    const kept = await client.get(ConfigMaps, { name: 'a', namespace: 'default' });
    expect(kept.data).toEqual({ mine: '1', other: '1' });
  });
});
