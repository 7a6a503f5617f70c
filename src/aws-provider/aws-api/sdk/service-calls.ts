import type { Call, CallOptions } from '../apis.ts';
import type { ClientSettings } from './client-settings.ts';
import type { RequestObserver } from './request-observer.ts';

/** What is needed to make the clients of the services. */
export interface ServiceDeps {
  readonly settings: ClientSettings;
  readonly observer: RequestObserver;
}

type Next = (args: unknown) => Promise<{ readonly output?: object }>;

/** What the clients of the SDK have in common; their own types differ in each service's unions of inputs and outputs. */
interface SdkClient {
  readonly config: { readonly serviceId: string };
  readonly middlewareStack: {
    add(
      middleware: (next: Next, context: { readonly commandName?: string }) => Next,
      options: { readonly step: string; readonly name: string; readonly priority: 'high' },
    ): void;
  };
  send(command: object, options: { readonly abortSignal?: AbortSignal }): Promise<unknown>;
}

type Client = new (settings: ClientSettings & { readonly maxAttempts?: number }) => object;

/** Makes calls of a service's commands, over a client that tries again and one that doesn't. */
export function serviceCalls(ServiceClient: Client, { settings, observer }: ServiceDeps) {
  const connect = (options: { readonly maxAttempts?: number } = {}): SdkClient => {
    const client = new ServiceClient({ ...settings, ...options }) as SdkClient;
    observed(client, observer);
    return client;
  };
  const client = connect();
  let single: SdkClient | undefined;
  const clientFor = ({ once }: CallOptions): SdkClient => {
    if (!once) return client;
    single ??= connect({ maxAttempts: 1 });
    return single;
  };
  return <Input, Output>(Command: new (input: never) => object): Call<Input, Output> =>
    async (input, options = {}) => {
      const command = new Command(input as never);
      return (await clientFor(options).send(command, options.signal ? { abortSignal: options.signal } : {})) as Output;
    };
}

function observed(client: SdkClient, observer: RequestObserver): void {
  const operationOf = (context: { readonly commandName?: string }) => ({
    service: client.config.serviceId,
    name: (context.commandName ?? '').replace(/Command$/, ''),
  });
  client.middlewareStack.add((next, context) => (args) => observer.request(operationOf(context), () => next(args)), {
    step: 'initialize',
    name: 'requestObserver',
    priority: 'high',
  });
  client.middlewareStack.add((next, context) => (args) => observer.attempt(operationOf(context), () => next(args)), {
    step: 'deserialize',
    name: 'attemptObserver',
    priority: 'high',
  });
}
