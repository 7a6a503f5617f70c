import { join } from 'node:path';
import { type NodeAgentDeps, nodeAgent } from '../../kwok-provider/kubelet/node-agent.ts';
import { ApiServer, makeCertificates } from '../../src/apiserver/index.ts';
import { awsDefinitions } from '../../src/aws-provider/apis/crd/index.ts';
import { controlPlane } from '../../src/control-plane/control-plane.ts';
import { Scheduler } from '../../src/control-plane/scheduler/scheduler.ts';
import type { Client } from '../../src/kube/client.ts';
import type { KubeObject } from '../../src/kube/objects.ts';
import { CustomResourceDefinitions, Services } from '../../src/kube/resources.ts';
import { RealClock } from '../../src/operator/clock.ts';
import { SeededRandom } from '../../src/operator/random.ts';
import { type ManagedParts, managed } from '../../src/runtimes/managed.ts';
import { writeKubeconfig } from '../e2e/credentials.ts';

const TOKEN = 'side-by-side';

/** A Kubernetes API of this process that programs reach by their kubeconfig, with the definitions of a cluster on EC2. */
export interface AwsCluster extends AsyncDisposable {
  readonly client: Client;
  readonly kubeconfig: string;
  /** Starts the scheduler, the controllers of workloads, and kubelets on nodes that are annotated as fake. */
  startWorkloads(): void;
}

/** Files go into `folder`. */
export async function startCluster(folder: string): Promise<AwsCluster> {
  const clock = new RealClock();
  const random = new SeededRandom(1);
  const certificates = await makeCertificates({ clock });
  const server = await ApiServer.open({ clock, random });
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
  const stop = new AbortController();
  const running: Promise<void>[] = [];
  const start = (user: string, parts: (deps: NodeAgentDeps) => ManagedParts): void => {
    const context = { client: server.client(user), clock, random, onTrouble: () => {} };
    running.push(managed(context, (informers) => parts({ ...context, informers })).run(stop.signal));
  };
  return {
    client,
    kubeconfig,
    startWorkloads: () => {
      const recorderFor = () => ({ event: () => {} });
      start('control-plane', (deps) => ({
        controllers: controlPlane({ ...deps, recorderFor }),
        runnables: [new Scheduler({ ...deps, recorderFor })],
      }));
      start('kubelet', (deps) => nodeAgent(deps));
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the cluster is being stopped'));
      await Promise.allSettled(running);
      await server.stop();
    },
  };
}
