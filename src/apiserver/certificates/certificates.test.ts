import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import * as x509 from '@peculiar/x509';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { refusal } from '../../../test/support/api-objects.ts';
import type { Client, Resource } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/objects.ts';
import { RealClock } from '../../operator/clock.ts';
import { SeededRandom } from '../../operator/random.ts';
import { ApiServer, makeCertificates } from '../index.ts';

interface Request extends KubeObject {
  readonly spec?: unknown;
  readonly status?: { readonly certificate?: string; readonly conditions?: readonly object[] };
}
const Requests: Resource<Request> = {
  group: 'certificates.k8s.io',
  version: 'v1',
  plural: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  namespaced: false,
};
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const approved = { type: 'Approved', status: 'True', reason: 'R', message: 'm' };

let server: ApiServer;
let client: Client;
beforeEach(async () => {
  x509.cryptoProvider.set(webcrypto);
  server = await ApiServer.open({ clock: new RealClock(), random: new SeededRandom(1) });
  client = server.client();
});
afterEach(() => server.stop());

async function newRequest(name: string): Promise<{ readonly pem: string; readonly key: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const made = await x509.Pkcs10CertificateRequestGenerator.create({ name, keys, signingAlgorithm: ALGORITHM });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64');
  return { pem: `${made.toString('pem')}\n`, key: `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----\n` };
}

const create = (pem: string, spec: object = {}): Promise<Request> =>
  client.create(Requests, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'r' },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth'],
      ...spec,
    },
  });

const approve = (): Promise<Request> =>
  client.patch(
    Requests,
    { name: 'r' },
    { type: 'merge', body: { status: { conditions: [approved] } } },
    { subresource: 'approval' },
  );

/** The request once its signer has answered. */
async function answered(): Promise<Request> {
  const signal = AbortSignal.timeout(10_000);
  for await (const { object } of client.watch(Requests, { resourceVersion: '0' }, signal)) {
    const { certificate, conditions = [] } = (object as Request).status ?? {};
    if (certificate || conditions.length > 1) return object as Request;
  }
  throw new Error('nobody answered');
}

describe('a certificate request', () => {
  it('that is approved is signed, and its certificate lets its owner in', async () => {
    const certificates = await makeCertificates({ clock: new RealClock() });
    const { url } = await server.listen({ certificates, token: 't' });
    const { pem, key } = await newRequest('CN=jane, O=dev');
    await create(pem, { expirationSeconds: 3600 });
    await approve();
    const { certificate = '' } = (await answered()).status ?? {};
    const issued = Buffer.from(certificate, 'base64').toString();
    expect(new X509Certificate(issued).validToDate.getTime()).toBeLessThan(Date.now() + 3601_000);
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const options = { method: 'POST', ca: certificates.ca, cert: issued, key, headers, agent: false } as const;
      const outgoing = request(`${url}${path}`, options, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      });
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify(body));
    });
    expect(JSON.parse(answer).status.userInfo).toMatchObject({
      username: 'jane',
      groups: ['dev', 'system:authenticated'],
    });
  });

  it('that asks for more than its signer gives fails', async () => {
    const { pem } = await newRequest('CN=jane');
    await create(pem, { usages: ['client auth', 'server auth'] });
    await approve();
    expect((await answered()).status?.conditions).toMatchObject([
      { type: 'Approved' },
      { type: 'Failed', message: 'invalid usage for client certificate: server auth' },
    ]);
  });

  it('is refused with another’s signature, and for the administrators', async () => {
    const { pem } = await newRequest('CN=jane');
    const der = Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ''), 'base64');
    const at = der.indexOf('jane');
    der.write('john', at);
    const forged = `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
    expect(await refusal(create(forged))).toMatch(/^422 .*spec.request: Invalid value: .*verification error$/);
    expect(await refusal(create('nope'))).toMatch(/PEM block type must be CERTIFICATE REQUEST$/);
    const admin = await newRequest('CN=jane, O=system:masters');
    expect(await refusal(create(admin.pem))).toMatch(/^403 .*with system:masters group is not allowed$/);
  });
});
