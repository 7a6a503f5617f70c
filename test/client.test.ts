import { beforeAll, beforeEach, describe, it } from 'vitest';
import { ApiServer, makeCertificates, type ServerCertificates } from '../src/apiserver/index.ts';
import type { Client } from '../src/kube/client.ts';
import { HttpClient } from '../src/kube/http-client.ts';
import { RealClock } from '../src/operator/clock.ts';
import { SeededRandom } from '../src/operator/random.ts';
import { clientCases } from './client-cases.ts';

const clock = new RealClock();
const token = 'secret';
let certificates: ServerCertificates;
let server: ApiServer;
beforeAll(async () => {
  certificates = await makeCertificates({ clock });
});
beforeEach(async () => {
  server = await ApiServer.open({ clock, random: new SeededRandom(1) });
  return () => server.stop();
});

const open: Readonly<Record<string, () => Promise<{ client: Client; close(): Promise<void> }>>> = {
  'straight into the store': async () => ({ client: server.client(), close: async () => {} }),
  'over HTTPS': async () => {
    const { url } = await server.listen({ certificates, token });
    const headers = async () => ({ authorization: `Bearer ${token}` });
    const access = { server: url, namespace: 'default', tls: { ca: certificates.ca }, headers };
    const client = new HttpClient({ access, clock, userAgent: 'test' });
    return { client, close: () => client.close() };
  },
};

describe.each(Object.entries(open))('a client %s', (_, connect) => {
  it.each(Object.entries(clientCases))('%s', async (_name, run) => {
    const { client, close } = await connect();
    try {
      await run(client);
    } finally {
      await close();
    }
  });
});
