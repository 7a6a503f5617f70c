import type { AwsApis, Call } from './apis.ts';
import { type DeniedCall, denialText, deniedCall } from './permissions.ts';

/** AWS has refused a call for want of permission; its own error is the cause. */
export class DeniedError extends Error {
  override readonly name = 'DeniedError';
  readonly denied: DeniedCall;

  constructor(denied: DeniedCall, cause: unknown) {
    super(`${cause instanceof Error ? cause.message : cause}; ${denialText(denied)}`, { cause });
    this.denied = denied;
  }
}

/** The refused call that made something fail. */
export function denialOf(error: unknown): DeniedCall | undefined {
  if (error instanceof AggregateError) return error.errors.map(denialOf).find((denied) => denied !== undefined);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DeniedError) return cause.denied;
  }
  return undefined;
}

/** How IAM's actions call the services. */
const SERVICES: Readonly<Record<keyof AwsApis, string>> = {
  ec2: 'ec2',
  iam: 'iam',
  eks: 'eks',
  ssm: 'ssm',
  pricing: 'pricing',
  sqs: 'sqs',
  arcZonalShift: 'arc-zonal-shift',
};

/** The same APIs; what they refuse for want of permission says which statement of the controller's policies is missing. */
export function explainDenials(apis: AwsApis): AwsApis {
  const entries = Object.entries(SERVICES).map(([name, service]) => [
    name,
    explained(service, apis[name as keyof AwsApis]),
  ]);
  return Object.fromEntries(entries) as AwsApis;
}

type AnyCall = Call<never, unknown>;

/** The calls of an API may be there only once they are asked for: its client is loaded late. */
function explained(service: string, api: object): object {
  return new Proxy(api, {
    get: (_target, name) => {
      const call: unknown = Reflect.get(api, name);
      if (typeof name !== 'string' || typeof call !== 'function') return call;
      return told(call as AnyCall, `${service}:${name.charAt(0).toUpperCase()}${name.slice(1)}`);
    },
  });
}

function told(call: AnyCall, action: string): AnyCall {
  return async (input, options) => {
    try {
      return await call(input, options);
    } catch (error) {
      const denied = deniedCall(error, action);
      throw denied ? new DeniedError(denied, error) : error;
    }
  };
}
