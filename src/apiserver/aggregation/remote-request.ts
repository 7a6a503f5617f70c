import type { IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import type { Clock } from '../../kube/clock.ts';
import type { ClientCertificate } from '../certificates/signing-authority.ts';
import { asNumber, asObject, asString } from '../json.ts';
import type { JsonObject } from '../kind.ts';
import { goNetworkWords } from '../outgoing/go-network-words.ts';
import { resolveService } from '../outgoing/resolve-service.ts';
import type { UserInfo } from '../registry/request.ts';
import type { Store } from '../store/store.ts';

/** How the server of an APIService is reached. @throws NoServiceError */
export const connectionTo = (store: Store, service: JsonObject, client: ClientCertificate): RequestOptions => {
  const { service: reference, caBundle, insecureSkipTLSVerify } = asObject(service.spec);
  const { namespace, name, port } = asObject(reference);
  const { host, port: actual } = resolveService(store, asString(namespace), asString(name), asNumber(port) || 443);
  const ca = asString(caBundle);
  return {
    host,
    port: actual,
    servername: `${asString(name)}.${asString(namespace)}.svc`,
    rejectUnauthorized: insecureSkipTLSVerify !== true,
    agent: false,
    cert: client.certificate,
    key: client.key,
    ...(ca === '' ? {} : { ca: Buffer.from(ca, 'base64') }),
  };
};

/** Says who asks, as a server behind an aggregator takes it from the aggregator's own certificate. */
export const userHeaders = ({ name, uid, groups, extra = {} }: UserInfo): Record<string, string | string[]> => ({
  'x-remote-user': name,
  ...(uid ? { 'x-remote-uid': uid } : {}),
  ...(groups.length > 0 ? { 'x-remote-group': [...groups] } : {}),
  ...Object.fromEntries(
    Object.entries(extra).map(([key, values]) => [
      `x-remote-extra-${encodeURIComponent(key).toLowerCase()}`,
      [...values],
    ]),
  ),
});

export interface FetchOptions extends RequestOptions {
  /** In milliseconds. */
  readonly most: number;
}

/** The JSON at a path of a server. Rejects with an Error in Go's words. */
export const fetchJson = (clock: Clock, { most, ...options }: FetchOptions): Promise<JsonObject> =>
  new Promise((resolve, reject) => {
    const outgoing = httpsRequest(options, (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        cancel();
        const status = response.statusCode ?? 0;
        if (status < 200 || status >= 300) {
          reject(new Error(`bad status from https://${options.host}:${options.port}${options.path}: ${status}`));
          return;
        }
        try {
          resolve(asObject(JSON.parse(text)));
        } catch {
          resolve({});
        }
      });
    });
    const cancel = clock.setTimeout(() => outgoing.destroy(new Error('context deadline exceeded')), most);
    outgoing.on('error', (error) => {
      cancel();
      const url = `https://${options.host}:${options.port}${options.path}`;
      reject(
        new Error(`failing or missing response from ${url}: Get ${JSON.stringify(url)}: ${goNetworkWords(error)}`),
      );
    });
    outgoing.end();
  });
