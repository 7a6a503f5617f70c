import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { ArcZonalShiftApi, ZonalShiftSummary } from '../apis.ts';
import type { ServiceDeps } from './service-calls.ts';

const SERVICE = 'arc-zonal-shift';
const OPERATION = { service: 'ARC Zonal Shift', name: 'GetManagedResource' };

interface Answer {
  readonly zonalShifts?: readonly ZonalShiftSummary[];
  readonly message?: string;
  readonly $metadata: { readonly httpStatusCode: number; readonly requestId: string };
}

/**
 * The one call of ARC zonal shift that counts: a signed request, made here because no client of that service is among
 * the SDK's packages at hand. Tried once: whoever polls asks again soon.
 */
export function connectArcZonalShift(deps: ServiceDeps & { readonly endpoint: string }): ArcZonalShiftApi {
  const { settings, observer, endpoint } = deps;
  const { hostname, port, protocol } = new URL(endpoint);
  const signer = new SignatureV4({
    service: SERVICE,
    region: settings.region,
    credentials: defaultProvider(),
    sha256: Sha256,
  });
  const ask = async (path: string, signal: AbortSignal | undefined): Promise<{ readonly output: Answer }> => {
    const request = new HttpRequest({
      method: 'GET',
      protocol,
      hostname,
      ...(port ? { port: Number(port) } : {}),
      path,
      headers: {
        host: port ? `${hostname}:${port}` : hostname,
        'user-agent': settings.customUserAgent.map(([name]) => name).join(' '),
      },
    });
    const signed = await signer.sign(request);
    const { response } = await settings.requestHandler.handle(
      signed as HttpRequest,
      signal ? { abortSignal: signal } : {},
    );
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk as Buffer);
    const output: Answer = {
      ...(JSON.parse(Buffer.concat(chunks).toString() || '{}') as Partial<Answer>),
      $metadata: { httpStatusCode: response.statusCode, requestId: response.headers['x-amzn-requestid'] ?? '' },
    };
    if (response.statusCode >= 300) throw refusal(response.headers['x-amzn-errortype'], output);
    return { output };
  };
  return {
    getManagedResource: async ({ resourceIdentifier }, { signal } = {}) => {
      const path = `/managedresources/${encodeURIComponent(resourceIdentifier)}`;
      const send = () => observer.attempt(OPERATION, () => ask(path, signal));
      return (await observer.request(OPERATION, send)).output;
    },
  };
}

function refusal(type: string | undefined, { message, $metadata }: Answer): Error {
  const name = type?.split(':')[0] || 'UnknownError';
  return Object.assign(new Error(message ?? ''), { name, $metadata });
}

/** The address of the service: the one that the environment gives, else AWS's own in the region. */
export function arcZonalShiftEndpoint(region: string, env: Readonly<Record<string, string | undefined>>): string {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return env.AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT || env.AWS_ENDPOINT_URL || `https://${SERVICE}.${region}.${suffix}`;
}
