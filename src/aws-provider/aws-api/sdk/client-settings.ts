import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { NodeHttpHandler } from '@smithy/node-http-handler';

type Environment = Readonly<Record<string, string | undefined>>;

/** What every client of the SDK is made with. Tries and their pauses are the SDK's own: three, as upstream has them. */
export interface ClientSettings {
  readonly region: string;
  readonly customUserAgent: [string, string][];
  readonly requestHandler: NodeHttpHandler;
}

/** Upstream's limit for one request with its answer. */
const REQUEST_TIMEOUT_MS = 4 * 60_000;
/** Go's limit of connections to one host. */
const MAX_SOCKETS = 2048;

/** One pool of connections for all clients, through the proxies that the environment names. */
export function clientSettings(region: string, version: string, env: Environment): ClientSettings {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS, proxyEnv: { ...env } };
  return {
    region,
    customUserAgent: [[`karpenter.sh-${version}`, '']],
    requestHandler: new NodeHttpHandler({
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
    }),
  };
}
