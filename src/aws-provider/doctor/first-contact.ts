import { type Finding, fail, pass, skipped, warn } from '../../doctor/finding.ts';
import { type Check, type PlacedFinding, runChecks } from '../../doctor/run-checks.ts';
import { errorCode } from '../aws-api/error-code.ts';
import { isDryRunSuccess } from '../aws-api/error-kinds.ts';
import { isDenied } from '../aws-api/permissions.ts';
import { AWS, type AwsDoctorDeps } from './deps.ts';
import { errorSummary } from './outcome.ts';

/** Whose credentials they are. */
export interface Caller {
  readonly arn: string;
  readonly account: string;
}

/** What the first questions came to. */
export interface FirstContact {
  readonly findings: readonly PlacedFinding[];
  readonly caller?: Caller;
  /** EC2 answers these credentials: it is worth asking more. */
  readonly usable: boolean;
  /** EC2 keeps dry runs dry: more than reading may be tried. */
  readonly dryRuns: boolean;
}

type Deps = Pick<AwsDoctorDeps, 'region' | 'apis' | 'identity' | 'env' | 'clock' | 'limits'>;

const NO_ACCESS = { usable: false, dryRuns: false };
/** Codes of a caller that AWS does not know, or not any more. */
const NOT_KNOWN =
  /^(AuthFailure|InvalidClientTokenId|UnrecognizedClientException|SignatureDoesNotMatch|IncompleteSignature|OptInRequired)$/;
const EXPIRED = /^(ExpiredToken|ExpiredTokenException|RequestExpired)$/;
const SOON_MS = 10 * 60_000;

const GET_CREDENTIALS = [
  'on your machine: aws configure, or AWS_PROFILE=NAME',
  'in a pod: EKS Pod Identity, or IAM roles for service accounts',
  "on a machine in EC2: an instance profile; from a pod there, a hop limit of 2 in the machine's metadata options",
];

/** Credentials, whose they are, and whether EC2 answers them: without these there is nothing more to ask of AWS. */
export async function firstContact(deps: Deps): Promise<FirstContact> {
  const limits = { ...deps.limits, clock: deps.clock };
  const known = await runChecks(
    [
      { area: AWS, name: 'region', run: async () => [regionFinding(deps)] },
      { area: AWS, name: 'credentials', run: async () => [await credentialsFinding(deps)] },
    ],
    limits,
  );
  if (known.some(({ verdict }) => verdict === 'fail')) return { findings: known, ...NO_ACCESS };
  let caller: Caller | undefined;
  let access = NO_ACCESS;
  const identify: Check = {
    area: AWS,
    name: 'identity',
    run: async (signal) => {
      const identity = await identityOf(deps, signal);
      caller = identity.caller;
      return [identity.finding];
    },
  };
  const reach: Check = {
    area: AWS,
    name: 'EC2',
    run: async (signal) => {
      const { finding, ...found } = await reachEc2(deps, signal);
      access = found;
      return [finding];
    },
  };
  const asked = await runChecks([identify, reach], limits);
  return { findings: [...known, ...asked.map(asTolerated)], ...(caller ? { caller } : {}), ...access };
}

/** Nothing depends on the answer of STS. */
const asTolerated = (finding: PlacedFinding): PlacedFinding =>
  finding.check === 'identity' && finding.message.startsWith('no answer')
    ? { ...finding, verdict: 'skipped' }
    : finding;

function regionFinding({ region, env }: Deps): Finding {
  const variable = ['AWS_REGION', 'AWS_DEFAULT_REGION'].find((name) => env[name]);
  const source =
    variable ?? (env.AWS_PROFILE ? `profile ${env.AWS_PROFILE}` : 'the shared configuration or the machine itself');
  return pass('region', `${region}, by ${source}`);
}

async function credentialsFinding({ identity, clock }: Deps): Promise<Finding> {
  try {
    const { source, expires } = await identity.credentials({});
    const left = expires === undefined ? Number.POSITIVE_INFINITY : expires - clock.now();
    if (left < 0)
      return fail('credentials', `${source}: they have expired`, { fix: ['get new ones: aws sso login, …'] });
    const ending = Number.isFinite(left) ? `, for ${Math.round(left / 60_000)} more minutes` : '';
    const found = `${source}${ending}`;
    // Those of pods and machines are renewed by themselves; who pasted his into the environment has to do it again.
    return left < SOON_MS && /environment|file$/.test(source) ? warn('credentials', found) : pass('credentials', found);
  } catch (error) {
    return fail('credentials', `none to be found: ${errorSummary(error)}`, { fix: GET_CREDENTIALS });
  }
}

async function identityOf({ identity }: Deps, signal: AbortSignal): Promise<{ finding: Finding; caller?: Caller }> {
  try {
    const caller = await identity.getCallerIdentity({}, { signal });
    const fix = ['make a role for the controller: install/aws'];
    const finding = caller.arn.endsWith(':root')
      ? warn('identity', `${caller.arn}: the owner of the account may do everything, a controller should not`, { fix })
      : pass('identity', caller.arn);
    return { finding, caller };
  } catch (error) {
    if (isRefused(error)) return { finding: fail('identity', refusalText(error), { fix: GET_CREDENTIALS }) };
    // A VPC without the internet often has no endpoint of STS.
    return { finding: skipped('identity', `STS does not tell who this is: ${errorSummary(error)}`) };
  }
}

async function reachEc2({ apis, region }: Deps, signal: AbortSignal) {
  try {
    await apis.ec2.describeInstanceTypes({ DryRun: true }, { signal, once: true });
    const message = 'answers, but carries dry runs out: nothing but reading is tried';
    return { finding: warn('EC2', message), usable: true, dryRuns: false };
  } catch (error) {
    if (isDryRunSuccess(error) || isDenied(error)) {
      return { finding: pass('EC2', 'answers'), usable: true, dryRuns: true };
    }
    if (isRefused(error)) return { finding: fail('EC2', refusalText(error), { fix: GET_CREDENTIALS }), ...NO_ACCESS };
    const fix = [
      `is ${region} the region that you mean? does the account have it?`,
      'a way to the internet, a VPC endpoint of EC2, or HTTPS_PROXY',
    ];
    return { finding: fail('EC2', `no answer: ${errorSummary(error)}`, { fix }), ...NO_ACCESS };
  }
}

const isRefused = (error: unknown): boolean =>
  NOT_KNOWN.test(errorCode(error) ?? '') || EXPIRED.test(errorCode(error) ?? '');

const refusalText = (error: unknown): string =>
  EXPIRED.test(errorCode(error) ?? '')
    ? `the credentials have expired: ${errorSummary(error)}`
    : `AWS does not know these credentials: ${errorSummary(error)}`;
