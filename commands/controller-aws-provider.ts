import {
  AWS_ACCESS,
  AWS_FACTS,
  awsDefinitions,
  connectAws,
  Ec2NodeClasses,
  openAwsProvider,
  parseAwsOptions,
  StartUpError,
} from '../src/aws-provider/index.ts';
import { givenOptions } from '../src/cli/flags/controller-flags.ts';
import { UserError } from '../src/cli/user-error.ts';
import { controllerAwsFlags } from './controller-aws-flags.ts';
import { asUsageError } from './controller-options.ts';
import type {
  ConnectedProvider,
  ControllerFlags,
  ControllerProvider,
  Environment,
  ProviderParts,
} from './controller-providers.ts';

/** EC2, for the command `controller`. Imported only when it is asked for: it is large. */
export function awsProvider(flags: ControllerFlags, env: Environment): ControllerProvider {
  return {
    nodeClasses: Ec2NodeClasses,
    access: AWS_ACCESS,
    definitions: awsDefinitions(),
    open: async () => {
      const awsOptions = parsed(flags, env);
      return {
        facts: AWS_FACTS,
        connect: async (parts, signal) => {
          try {
            return await connect({ ...parts, awsOptions, env }, signal);
          } catch (cause) {
            if (!(cause instanceof StartUpError)) throw cause;
            const hints = ['kubectl karpenter doctor --provider aws'];
            throw new UserError(cause.message, { code: 'KE1205', cause, hints });
          }
        },
      };
    },
  };
}

function parsed(flags: ControllerFlags, env: Environment) {
  try {
    return parseAwsOptions(givenOptions(controllerAwsFlags, flags), env);
  } catch (error) {
    throw asUsageError(error);
  }
}

type Parts = ProviderParts & { readonly awsOptions: ReturnType<typeof parseAwsOptions>; readonly env: Environment };

async function connect(parts: Parts, signal: AbortSignal): Promise<ConnectedProvider> {
  const { http, access } = parts;
  const { apis, region } = await connectAws(parts);
  const serverVersion = async (stop?: AbortSignal) => JSON.parse(await http.raw('/version', stop));
  return await openAwsProvider({ ...parts, apis, region, serverVersion, clusterCA: access.tls.ca ?? '' }, signal);
}
