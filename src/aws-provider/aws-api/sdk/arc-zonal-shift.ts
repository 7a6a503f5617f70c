import type { ArcZonalShiftApi, ZonalShiftSummary } from '../apis.ts';
import { domainOf } from './domain.ts';
import type { ServiceDeps } from './service-calls.ts';
import { signedRequests } from './signed-request.ts';

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
  const send = signedRequests(settings, SERVICE, endpoint);
  const ask = async (path: string, signal: AbortSignal | undefined): Promise<{ readonly output: Answer }> => {
    const { status, headers, text } = await send({ method: 'GET', path }, signal);
    const output: Answer = {
      ...parsed(text),
      $metadata: { httpStatusCode: status, requestId: headers['x-amzn-requestid'] ?? '' },
    };
    if (status >= 300) throw refusal(headers['x-amzn-errortype'], output);
    return { output };
  };
  return {
    getManagedResource: async ({ resourceIdentifier }, { signal } = {}) => {
      const path = `/managedresources/${encodeURIComponent(resourceIdentifier)}`;
      const attempt = () => observer.attempt(OPERATION, () => ask(path, signal));
      return (await observer.request(OPERATION, attempt)).output;
    },
  };
}

/** Nothing, where it is no JSON: then the status tells what there is to know. */
function parsed(body: string): Partial<Answer> {
  try {
    return JSON.parse(body) as Partial<Answer>;
  } catch {
    return {};
  }
}

function refusal(type: string | undefined, { message, $metadata }: Answer): Error {
  const name = type?.split(':')[0] || 'UnknownError';
  return Object.assign(new Error(message ?? ''), { name, $metadata });
}

/** The address of the service: the one that the environment gives, else AWS's own in the region. */
export function arcZonalShiftEndpoint(region: string, env: Readonly<Record<string, string | undefined>>): string {
  const own = env.AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT || env.AWS_ENDPOINT_URL;
  return own || `https://${SERVICE}.${region}.${domainOf(region)}`;
}
