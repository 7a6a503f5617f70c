import { defaultProvider } from '@aws-sdk/credential-provider-node';
import type { CredentialFacts, IdentityApi } from '../apis.ts';
import { domainOf } from './domain.ts';
import type { ServiceDeps } from './service-calls.ts';
import { signedRequests } from './signed-request.ts';

const SERVICE = 'sts';
const OPERATION = { service: 'STS', name: 'GetCallerIdentity' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

/** How the SDK calls the places that it has credentials from, the one that was asked last first. */
const SOURCES: readonly (readonly [feature: string, words: string])[] = [
  ['CREDENTIALS_PROFILE_STS_WEB_ID_TOKEN', 'a web identity token named by the profile'],
  [
    'CREDENTIALS_ENV_VARS_STS_WEB_ID_TOKEN',
    'a web identity token (AWS_WEB_IDENTITY_TOKEN_FILE): IAM roles for service accounts',
  ],
  ['CREDENTIALS_STS_ASSUME_ROLE', 'a role that the profile assumes'],
  ['CREDENTIALS_PROFILE_PROCESS', "the profile's credential_process"],
  ['CREDENTIALS_PROCESS', 'a credential_process'],
  ['CREDENTIALS_PROFILE_SSO', 'IAM Identity Center, by the profile'],
  ['CREDENTIALS_PROFILE_SSO_LEGACY', 'IAM Identity Center, by the profile'],
  ['CREDENTIALS_SSO', 'IAM Identity Center'],
  ['CREDENTIALS_SSO_LEGACY', 'IAM Identity Center'],
  ['CREDENTIALS_PROFILE_LOGIN', '`aws login`, by the profile'],
  ['CREDENTIALS_LOGIN', '`aws login`'],
  ['CREDENTIALS_HTTP', 'the container (AWS_CONTAINER_CREDENTIALS_*): EKS Pod Identity, or ECS'],
  ['CREDENTIALS_IMDS', 'the instance profile of this machine'],
  ['CREDENTIALS_PROFILE', 'keys in the shared credentials file'],
  ['CREDENTIALS_ENV_VARS', 'AWS_ACCESS_KEY_ID in the environment'],
];

/** Credentials as the SDK's clients find them, and whose they are: STS tells that to anybody, whatever he may do. */
export function connectIdentity(deps: ServiceDeps & { readonly endpoint: string }): IdentityApi {
  const { settings, observer, endpoint } = deps;
  const credentials = defaultProvider();
  const send = signedRequests(settings, SERVICE, endpoint);
  const ask = async (signal: AbortSignal | undefined) => {
    const body = 'Action=GetCallerIdentity&Version=2011-06-15';
    const { status, headers, text } = await send({ method: 'POST', path: '/', body, headers: FORM }, signal);
    const $metadata = { httpStatusCode: status, requestId: headers['x-amzn-requestid'] ?? element(text, 'RequestId') };
    if (status >= 300) {
      throw Object.assign(new Error(element(text, 'Message')), { name: element(text, 'Code') || 'Unknown', $metadata });
    }
    return { output: { arn: element(text, 'Arn'), account: element(text, 'Account'), $metadata } };
  };
  return {
    credentials: async () => credentialFacts(await credentials()),
    getCallerIdentity: async (_, { signal } = {}) => {
      const attempt = () => observer.attempt(OPERATION, () => ask(signal));
      const { arn, account } = (await observer.request(OPERATION, attempt)).output;
      return { arn, account };
    },
  };
}

type Credentials = Awaited<ReturnType<ReturnType<typeof defaultProvider>>>;

function credentialFacts(found: Credentials): CredentialFacts {
  const { $source = {} } = found as { readonly $source?: Readonly<Record<string, string>> };
  const source = SOURCES.find(([feature]) => feature in $source)?.[1] ?? 'somewhere that the SDK does not name';
  return { source, ...(found.expiration ? { expires: found.expiration.getTime() } : {}) };
}

const element = (xml: string, name: string): string =>
  new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1]?.replaceAll('&quot;', '"').replaceAll('&amp;', '&') ?? '';

/** The address of STS: the one that the environment gives, else AWS's own in the region. */
export function identityEndpoint(region: string, env: Readonly<Record<string, string | undefined>>): string {
  return env.AWS_ENDPOINT_URL_STS || env.AWS_ENDPOINT_URL || `https://${SERVICE}.${region}.${domainOf(region)}`;
}
