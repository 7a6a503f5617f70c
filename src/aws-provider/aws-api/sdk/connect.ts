import type { Clock } from '../../../kube/clock.ts';
import type { Metrics } from '../../../metrics/metrics.ts';
import type { AwsApis, IdentityApi } from '../apis.ts';

/** What the connection to AWS needs of its surroundings. */
export interface ConnectDeps {
  readonly metrics: Metrics;
  readonly clock: Pick<Clock, 'now'>;
  /** Of the program, for the user agent: `1.14.1`. */
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** That of the surroundings unless told. */
  readonly region?: string | undefined;
}

/** AWS in one region. */
export interface AwsConnection {
  readonly region: string;
  readonly apis: AwsApis;
  readonly identity: IdentityApi;
}

type AnyApi = AwsApis[keyof AwsApis] | IdentityApi;

/**
 * All of AWS that the provider talks to, over the SDK, in the region that the surroundings tell (aws-provider.md 1.1,
 * 1.2). The client of a service is loaded at its first call. Throws when no region can be found.
 */
export async function connectAws({ metrics, clock, version, env, region: told }: ConnectDeps): Promise<AwsConnection> {
  const [{ discoverRegion }, { clientSettings }, { RequestObserver }] = await Promise.all([
    import('./region.ts'),
    import('./client-settings.ts'),
    import('./request-observer.ts'),
  ]);
  const region = told ?? (await discoverRegion());
  const deps = { settings: clientSettings(region, version, env), observer: new RequestObserver({ metrics, clock }) };
  const apis: AwsApis = {
    ec2: lazily(async () => (await import('./ec2.ts')).connectEc2(deps)),
    iam: lazily(async () => (await import('./iam.ts')).connectIam(deps)),
    eks: lazily(async () => (await import('./eks.ts')).connectEks(deps)),
    ssm: lazily(async () => (await import('./ssm.ts')).connectSsm(deps)),
    pricing: lazily(async () => (await import('./pricing.ts')).connectPricing(deps)),
    sqs: lazily(async () => (await import('./sqs.ts')).connectSqs(deps)),
    arcZonalShift: lazily(async () => {
      const { arcZonalShiftEndpoint, connectArcZonalShift } = await import('./arc-zonal-shift.ts');
      return connectArcZonalShift({ ...deps, endpoint: arcZonalShiftEndpoint(region, env) });
    }),
  };
  const identity = lazily<IdentityApi>(async () => {
    const { connectIdentity, identityEndpoint } = await import('./identity.ts');
    return connectIdentity({ ...deps, endpoint: identityEndpoint(region, env) });
  });
  return { region, apis, identity };
}

/** An API that is loaded when it is first called. */
function lazily<Api extends AnyApi>(load: () => Promise<Api>): Api {
  let loaded: Promise<Api> | undefined;
  return new Proxy({} as Api, {
    get: (_target, name) => async (input: never, options?: never) => {
      loaded ??= load();
      const call = (await loaded)[name as keyof Api] as (input: never, options?: never) => Promise<unknown>;
      return await call(input, options);
    },
  });
}
