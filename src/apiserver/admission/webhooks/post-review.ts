import { request as httpsRequest } from 'node:https';
import type { Clock } from '../../../kube/clock.ts';
import { asNumber, asObject, asString } from '../../json.ts';
import type { JsonObject } from '../../kind.ts';
import { goNetworkWords } from '../../outgoing/go-network-words.ts';
import { NoServiceError, resolveService } from '../../outgoing/resolve-service.ts';
import type { Store } from '../../store/store.ts';

/** Why a review got no answer. */
export class ReviewError extends Error {
  override readonly name = 'ReviewError';
}

/** An answer may be this long, in bytes. */
const LONGEST_ANSWER = 64 * 1024 * 1024;
const MILLISECONDS = 1000;

interface Target {
  /** As messages name it. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly path: string;
  /** What the certificate has to be for. */
  readonly serverName: string;
}

const targetOf = (store: Store, clientConfig: JsonObject, seconds: number): Target => {
  const query = `?timeout=${seconds}s`;
  if (clientConfig.url !== undefined) {
    const { protocol, host, hostname, port, pathname } = new URL(asString(clientConfig.url));
    const plain = hostname.replace(/^\[|\]$/g, '');
    const path = `${pathname}${query}`;
    return { url: `${protocol}//${host}${path}`, host: plain, port: Number(port) || 443, path, serverName: plain };
  }
  const { namespace, name, path: servicePath, port } = asObject(clientConfig.service);
  const servicePort = asNumber(port) || 443;
  const serverName = `${asString(name)}.${asString(namespace)}.svc`;
  const path = `${asString(servicePath) || '/'}${query}`;
  const url = `https://${serverName}:${servicePort}${path}`;
  try {
    return { url, path, serverName, ...resolveService(store, asString(namespace), asString(name), servicePort) };
  } catch (error) {
    if (!(error instanceof NoServiceError)) throw error;
    throw new ReviewError(`Post ${JSON.stringify(url)}: ${error.message}`);
  }
};

/** Posts a review to where a webhook's clientConfig points. Resolves to the answer's body. @throws ReviewError */
export function postReview(
  deps: { readonly store: Store; readonly clock: Clock },
  clientConfig: JsonObject,
  review: JsonObject,
  seconds: number,
): Promise<JsonObject> {
  const target = targetOf(deps.store, clientConfig, seconds);
  const body = JSON.stringify(review);
  const caBundle = asString(clientConfig.caBundle);
  const fail = (words: string): ReviewError => new ReviewError(`Post ${JSON.stringify(target.url)}: ${words}`);
  return new Promise((resolve, reject) => {
    const outgoing = httpsRequest(
      {
        method: 'POST',
        host: target.host,
        port: target.port,
        path: target.path,
        servername: /^[\d.]+$|:/.test(target.serverName) ? '' : target.serverName,
        agent: false,
        ...(caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64') }),
        headers: {
          accept: 'application/json, */*',
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          host: target.serverName,
          'user-agent': 'kube-apiserver-admission',
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > LONGEST_ANSWER) outgoing.destroy(new Error('the answer is too long'));
          else chunks.push(chunk);
        });
        response.on('end', () => {
          cancel();
          try {
            resolve(readAnswer(response.statusCode ?? 0, Buffer.concat(chunks).toString('utf8')));
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    const cancel = deps.clock.setTimeout(
      () => outgoing.destroy(new Error('context deadline exceeded')),
      seconds * MILLISECONDS,
    );
    outgoing.on('error', (error) => {
      cancel();
      reject(fail(goNetworkWords(error)));
    });
    outgoing.end(body);
  });
}

const readAnswer = (status: number, text: string): JsonObject => {
  if (status === 404) throw new ReviewError('the server could not find the requested resource');
  if (status >= 400) {
    const shown = text.trim() === '' ? 'unknown' : text.trim();
    throw new ReviewError(
      `an error on the server (${JSON.stringify(shown)}) has prevented the request from succeeding`,
    );
  }
  try {
    return asObject(JSON.parse(text));
  } catch {
    throw new ReviewError("couldn't get version/kind; json parse error: invalid character in the answer");
  }
};
