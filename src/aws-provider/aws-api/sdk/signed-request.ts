import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { ClientSettings } from './client-settings.ts';

/** What is asked of a service of which no client is among the SDK's packages at hand. */
export interface SignedRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface SignedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export type SendSigned = (request: SignedRequest, signal?: AbortSignal) => Promise<SignedAnswer>;

/** Sends requests to a service as the SDK's own clients do: signed, through the same connections, under the same name. */
export function signedRequests(settings: ClientSettings, service: string, endpoint: string): SendSigned {
  const { hostname, port, protocol } = new URL(endpoint);
  const signer = new SignatureV4({ service, region: settings.region, credentials: defaultProvider(), sha256: Sha256 });
  return async ({ method, path, body, headers = {} }, signal) => {
    const request = new HttpRequest({
      method,
      protocol,
      hostname,
      ...(port ? { port: Number(port) } : {}),
      path,
      ...(body === undefined ? {} : { body }),
      headers: {
        host: port ? `${hostname}:${port}` : hostname,
        'user-agent': settings.customUserAgent.map(([name]) => name).join(' '),
        ...headers,
      },
    });
    const signed = await signer.sign(request);
    const { response } = await settings.requestHandler.handle(
      signed as HttpRequest,
      signal ? { abortSignal: signal } : {},
    );
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk as Buffer);
    return { status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() };
  };
}
