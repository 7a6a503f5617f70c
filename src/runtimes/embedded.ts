import { access, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiServer, makeCertificates, type ServerCertificates, StateFileError } from '../apiserver/index.ts';
import type { Client, Resource } from '../kube/client.ts';
import type { Clock, Random } from '../kube/clock.ts';
import { isAlreadyExists } from '../kube/errors.ts';
import type { Runnable } from '../kube/manager.ts';
import type { KubeObject } from '../kube/objects.ts';
import type { ClusterRuntime, Component, RunningCluster, RuntimeOptions, StartProgress } from './types.ts';
import { PortBusyError, StateError } from './types.ts';

const CREDENTIALS_FILE = 'credentials.json';
const DATABASE_FILE = 'state.sqlite';
/** There once everything that a new cluster begins with has been created. */
const FURNISHED_FILE = 'furnished';

/** What a component gets to build itself from. */
export interface ComponentContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  /** Told what went wrong and will be tried again. */
  onTrouble(what: string, error: unknown): void;
}

/** One of the programs of a cluster, which lives in this process. */
export interface ComponentFactory {
  readonly component: Component;
  /** For the progress. */
  readonly title: string;
  create(context: ComponentContext): Promise<Runnable>;
}

/** An object that is created when it is missing. */
export interface InitialObject {
  readonly resource: Resource;
  readonly object: KubeObject;
  /** At the first start only: whoever deletes it later does not get it back. */
  readonly once: boolean;
}

export interface EmbeddedRuntimeDeps {
  readonly clock: Clock;
  readonly random: Random;
  /** Started in this order, each with a client of its own name. */
  readonly components: readonly ComponentFactory[];
  /** Created in this order. */
  readonly initialObjects: readonly InitialObject[];
  /** Told what went wrong in a component and will be tried again. */
  readonly onTrouble: (component: Component, what: string, error: unknown) => void;
}

interface Credentials {
  readonly certificates: ServerCertificates;
  readonly token: string;
}

/** A whole cluster in this process: the API, the control plane, fake kubelets, and Karpenter. */
export class EmbeddedRuntime implements ClusterRuntime {
  readonly kind = 'embedded';
  readonly #deps: EmbeddedRuntimeDeps;

  constructor(deps: EmbeddedRuntimeDeps) {
    this.#deps = deps;
  }

  async start(options: RuntimeOptions, progress: StartProgress, signal: AbortSignal): Promise<RunningCluster> {
    const { clock } = this.#deps;
    const { server, url, credentials } = await progress.step(
      'Kubernetes API',
      () => this.#startServer(options),
      ({ url: address }) => address,
    );
    const stopping = new AbortController();
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => undefined);
    const running: Promise<void>[] = [];
    const stop = async (): Promise<void> => {
      stopping.abort(new Error('the cluster is being stopped'));
      await Promise.allSettled(running);
      await server.stop();
    };
    try {
      signal.throwIfAborted();
      await this.#createInitialObjects(server.client(), join(options.stateDir, FURNISHED_FILE));
      for (const factory of this.#deps.components) {
        if (options.without.has(factory.component)) continue;
        await progress.step(factory.title, async () => {
          const { random, onTrouble } = this.#deps;
          const context: ComponentContext = {
            client: server.client(factory.component),
            clock,
            random,
            onTrouble: (what, error) => onTrouble(factory.component, what, error),
          };
          const runnable = await factory.create(context);
          running.push(watchOver(runnable.run(stopping.signal), stopping.signal, failure.reject));
        });
        signal.throwIfAborted();
      }
    } catch (error) {
      await stop();
      throw error;
    }
    return {
      access: { server: url, certificateAuthority: credentials.certificates.ca, token: credentials.token },
      client: server.client(),
      failed: failure.promise,
      stop,
    };
  }

  async #startServer({ stateDir, port }: RuntimeOptions) {
    const { clock, random } = this.#deps;
    const state = join(stateDir, DATABASE_FILE);
    const [server, credentials] = await Promise.all([
      openServer({ clock, random, state }),
      this.#credentials(join(stateDir, CREDENTIALS_FILE)),
    ]);
    try {
      const { url } = await server.listen({ ...credentials, port });
      return { server, url, credentials };
    } catch (error) {
      await server.stop();
      throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? new PortBusyError(port, { cause: error }) : error;
    }
  }

  /** Made once and kept: a kubeconfig stays good when the cluster is started again. */
  async #credentials(file: string): Promise<Credentials> {
    try {
      return JSON.parse(await readFile(file, 'utf8')) as Credentials;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        throw new StateError(`${file}: ${(error as Error).message}`, { cause: error });
      }
    }
    const { clock, random } = this.#deps;
    const token = `${random.uuid()}${random.uuid()}`.replaceAll('-', '');
    const credentials = { certificates: await makeCertificates({ clock }), token };
    await writeFile(file, JSON.stringify(credentials), { mode: 0o600 });
    return credentials;
  }

  /** A first start that was cut short before it came this far, or in the midst of it, is made up for. */
  async #createInitialObjects(client: Client, furnishedFile: string): Promise<void> {
    const furnished = await access(furnishedFile).then(
      () => true,
      () => false,
    );
    for (const { resource, object, once } of this.#deps.initialObjects) {
      if (once && furnished) continue;
      try {
        await client.create(resource, object);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
    if (!furnished) await writeFile(furnishedFile, '', { mode: 0o600 });
  }
}

async function openServer(deps: Parameters<typeof ApiServer.open>[0]): Promise<ApiServer> {
  try {
    return await ApiServer.open(deps);
  } catch (error) {
    throw error instanceof StateFileError ? new StateError(error.message, { cause: error }) : error;
  }
}

/** A component that ends without having been told to takes the cluster with it. */
async function watchOver(run: Promise<void>, stopping: AbortSignal, fail: (reason: unknown) => void): Promise<void> {
  try {
    await run;
    if (!stopping.aborted) fail(new Error('a component ended by itself'));
  } catch (error) {
    if (!stopping.aborted) fail(error);
  }
}
