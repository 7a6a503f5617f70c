import { Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import type { CloudProvider } from '../../src/cloudprovider/types.ts';
import type { ControllerContext } from '../../src/controllers/context.ts';
import { addIndexes } from '../../src/controllers/indexes.ts';
import { Objects } from '../../src/controllers/objects.ts';
import type { Client } from '../../src/kube/client.ts';
import type { ControllerSpec } from '../../src/kube/controller.ts';
import { Informers } from '../../src/kube/informers.ts';
import { Manager } from '../../src/kube/manager.ts';
import { NodeClaims, Nodes } from '../../src/kube/resources.ts';
import { type Logger, SILENT } from '../../src/logging/logger.ts';
import type { TestEnvironment } from '../environment.ts';

type Context = Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'cloud' | 'nodeClaims' | 'nodes' | 'log'>;

export interface ControllerRun {
  /** What reconciliations rejected with. */
  readonly errors: readonly unknown[];
  /** What was logged at any level, in order. */
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** Runs controllers of the EC2 provider alone on the environment's API: nothing else acts on the cluster. */
export function runControllers(
  env: TestEnvironment,
  cloud: Partial<CloudProvider>,
  make: (context: Context) => readonly ControllerSpec[],
  client: Client = env.api.client('karpenter'),
): ControllerRun {
  const { clock, random } = env;
  const stop = new AbortController();
  const errors: unknown[] = [];
  const lines: string[] = [];
  const informers = new Informers({ client, clock, random });
  addIndexes(informers);
  const objects = { client, clock, informers };
  const note = (message: string) => void lines.push(message);
  const log: Logger = { ...SILENT, debug: note, info: note, error: note };
  const context: Context = {
    ...objects,
    cloud: { supportedNodeClasses: () => [Ec2NodeClasses], ...cloud } as CloudProvider,
    nodeClaims: new Objects(objects, NodeClaims),
    nodes: new Objects(objects, Nodes),
    log,
  };
  const onReconciled = ({ error }: { readonly error?: unknown }) => {
    if (error !== undefined) errors.push(error);
  };
  const manager = new Manager({ clock, informers, onReconciled });
  for (const controller of make(context)) manager.add(controller);
  const ended = manager.run(stop.signal);
  return {
    errors,
    lines,
    stop: async () => {
      stop.abort(new Error('the test has ended'));
      await ended;
    },
  };
}
