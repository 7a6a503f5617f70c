import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from '@smithy/core/config';
import { StartUpError } from '../../start-up-error.ts';

/**
 * The region to work in: that of the environment or of the shared configuration, else the one that the machine's own
 * metadata names. Throws when nothing tells.
 */
export async function discoverRegion(): Promise<string> {
  const configured = {
    ...NODE_REGION_CONFIG_OPTIONS,
    environmentVariableSelector: (env: Readonly<Record<string, string | undefined>>) =>
      env.AWS_REGION || env.AWS_DEFAULT_REGION || undefined,
  };
  try {
    return await loadConfig(configured, NODE_REGION_CONFIG_FILE_OPTIONS)();
  } catch (cause) {
    throw new StartUpError('unable to determine region from IMDS: set AWS_REGION where there is no instance metadata', {
      cause,
    });
  }
}
