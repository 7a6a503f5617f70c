import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Answer } from '../http/answer.ts';
import type { JsonObject } from '../kind.ts';
import { NoServiceError } from '../outgoing/resolve-service.ts';
import type { UserInfo } from '../registry/request.ts';
import type { Store } from '../store/store.ts';
import { isAvailable, type RemoteApis } from './remote-apis.ts';
import { connectionTo, userHeaders } from './remote-request.ts';

const text = (status: number, body: string): Answer => ({
  status,
  body: `${body}\n`,
  headers: { 'X-Content-Type-Options': 'nosniff' },
});
const unavailable = text(503, 'service unavailable');

/** Headers that are between two neighbours, or that only this server may read or write. */
const OWN =
  /^(authorization|connection|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|x-remote-.*|impersonate-.*)$/;

const passedOn = (headers: OutgoingHttpHeaders | IncomingMessage['headers']): OutgoingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.test(name.toLowerCase())));

/**
 * Passes a request on to the server of an APIService, and its answer back as it comes. Resolves to what there is to answer
 * instead where that can't be, to undefined otherwise.
 */
export async function forwardRequest(
  { store, remotes }: { readonly store: Store; readonly remotes: RemoteApis },
  service: JsonObject,
  user: UserInfo,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  if (!isAvailable(service)) return unavailable;
  try {
    const connection = connectionTo(store, service, await remotes.certificate());
    return await exchange(connection, user, incoming, response);
  } catch (error) {
    if (error instanceof NoServiceError) return unavailable;
    throw error;
  }
}

const exchange = (
  connection: ReturnType<typeof connectionTo>,
  user: UserInfo,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> =>
  new Promise((resolve) => {
    const outgoing = httpsRequest(
      {
        ...connection,
        method: incoming.method,
        path: incoming.url,
        headers: { ...passedOn(incoming.headers), host: connection.servername, ...userHeaders(user) },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, passedOn(answer.headers));
        answer.pipe(response);
        resolve(undefined);
      },
    );
    outgoing.on('error', (error) => {
      if (response.headersSent) response.destroy();
      else resolve(text(503, `error trying to reach service: ${error.message}`));
    });
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
