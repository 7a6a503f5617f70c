import { join } from 'node:path';
import { KWOK_NODE_CLASS_DEFINITION } from '../../kwok-provider/apis/kwok-node-class-definition.ts';
import { CORE_DEFINITIONS } from '../../src/apis/crds/index.ts';
import type { Client } from '../../src/kube/client.ts';
import type { Condition, KubeObject } from '../../src/kube/objects.ts';
import { CustomResourceDefinitions } from '../../src/kube/resources.ts';
import { retried, startControlPlane } from './control-plane.ts';
import { type ControllerName, startController } from './controllers.ts';
import { Program } from './process.ts';
import type { Programs } from './programs.ts';

/** A cluster that specs can run against; disposing of it stops everything. */
export interface TestCluster extends AsyncDisposable {
  /** Of an administrator. */
  readonly kubeconfig: string;
  /** The process that the controller runs in. */
  readonly controllerPid: number;
  /** Rejects when one of its programs ends. */
  readonly failed: Promise<never>;
}

/** Starts a cluster whose data and logs are in `folder`. */
export type StartCluster = (folder: string) => Promise<TestCluster>;

/** A real control plane, the real kwok for its nodes, and one of the two controllers. */
export function realCluster(controller: ControllerName, programs: Programs): StartCluster {
  return async (folder) => {
    const stack = new AsyncDisposableStack();
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => {});
    const own = (program: Program): void => {
      stack.use(program);
      program.untilFailure().catch(failure.reject);
    };
    try {
      const started = await Promise.race([startAll(folder, controller, programs, own), failure.promise]);
      return { ...started, failed: failure.promise, [Symbol.asyncDispose]: () => stack.disposeAsync() };
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  };
}

async function startAll(
  folder: string,
  controller: ControllerName,
  programs: Programs,
  own: (program: Program) => void,
): Promise<Pick<TestCluster, 'kubeconfig' | 'controllerPid'>> {
  const controlPlane = await startControlPlane(folder, programs, own);
  const { client, credentials } = controlPlane;
  await define(client);
  const kubeconfig = credentials.kubeconfig('admin');
  const kwok = [
    `--kubeconfig=${kubeconfig}`,
    `--config=${join(import.meta.dirname, 'kwok-stages.yaml')}`,
    '--manage-all-nodes=false',
    '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
    '--node-lease-duration-seconds=40',
  ];
  own(new Program([programs.kwok, ...kwok], join(folder, 'kwok.log')));
  const started = await startController(controller, folder, programs, controlPlane);
  own(started);
  return { kubeconfig, controllerPid: started.pid };
}

interface Definition extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Creates the custom resources that the embedded cluster has too, and waits until they are served. */
async function define(client: Client): Promise<void> {
  for (const definition of [...CORE_DEFINITIONS, KWOK_NODE_CLASS_DEFINITION]) {
    await client.create(CustomResourceDefinitions, definition);
    await retried(definition.metadata.name, async () => {
      const { status }: Definition = await client.get(CustomResourceDefinitions, { name: definition.metadata.name });
      const established = status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True');
      if (!established) throw new Error('not established');
    });
  }
}
