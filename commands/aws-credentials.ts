import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Any of them says that somebody means AWS to be asked. */
const VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
];

/**
 * Whether it is worth asking AWS: without any sign of credentials the SDK would wait for the metadata of an instance that
 * this machine is not.
 */
export async function mayHaveCredentials(env: Environment): Promise<boolean> {
  if (VARIABLES.some((name) => env[name])) return true;
  const folder = join(env.HOME || homedir(), '.aws');
  const files = [
    env.AWS_SHARED_CREDENTIALS_FILE || join(folder, 'credentials'),
    env.AWS_CONFIG_FILE || join(folder, 'config'),
  ];
  const found = await Promise.allSettled(files.map((file) => access(file)));
  return found.some(({ status }) => status === 'fulfilled');
}

/** What tells one account's answers from another's, as far as can be seen without asking. */
export const identityOf = (env: Environment): string =>
  JSON.stringify(
    [...VARIABLES, 'AWS_ROLE_ARN', 'AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_EC2', 'HOME'].map((name) => env[name]),
  );
