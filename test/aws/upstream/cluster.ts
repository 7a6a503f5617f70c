import { join } from 'node:path';
import { ApiServer, makeCertificates } from '../../../src/apiserver/index.ts';
import { awsDefinitions } from '../../../src/aws-provider/apis/crd/index.ts';
import type { Client } from '../../../src/kube/client.ts';
import type { KubeObject } from '../../../src/kube/objects.ts';
import { CustomResourceDefinitions, Services } from '../../../src/kube/resources.ts';
import { RealClock } from '../../../src/operator/clock.ts';
import { SeededRandom } from '../../../src/operator/random.ts';
import { writeKubeconfig } from '../../e2e/credentials.ts';

const TOKEN = 'side-by-side';

/** A Kubernetes API of this process that programs reach by their kubeconfig, with the definitions of a cluster on EC2. */
export interface AwsCluster extends AsyncDisposable {
  readonly client: Client;
  readonly kubeconfig: string;
}

/** Files go into `folder`. */
export async function startCluster(folder: string): Promise<AwsCluster> {
  const clock = new RealClock();
  const certificates = await makeCertificates({ clock });
  const server = await ApiServer.open({ clock, random: new SeededRandom(1) });
  const { url } = await server.listen({ certificates, token: TOKEN });
  const client = server.client();
  for (const definition of awsDefinitions()) {
    await client.create(CustomResourceDefinitions, definition as unknown as KubeObject);
  }
  const dns = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'kube-dns', namespace: 'kube-system' },
    spec: {
      clusterIP: '10.96.0.10',
      selector: { 'k8s-app': 'kube-dns' },
      ports: [{ name: 'dns', port: 53, protocol: 'UDP' }],
    },
  };
  await client.create(Services, dns);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeKubeconfig(kubeconfig, { server: url, ca: certificates.ca, token: TOKEN });
  return { client, kubeconfig, [Symbol.asyncDispose]: () => server.stop() };
}
