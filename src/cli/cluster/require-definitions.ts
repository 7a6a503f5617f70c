import type { Client, Resource } from '../../kube/client.ts';
import { isNotFound } from '../../kube/errors.ts';
import { apiVersionOf } from '../../kube/resources.ts';
import { UserError } from '../user-error.ts';

/**
 * Asks for one object of each kind, which needs no right that a controller doesn't have. Only a kind that the API doesn't
 * know is an error here: what is forbidden or gets no answer is told by whoever needs it.
 *
 * @throws {UserError} that names all kinds that are missing, and how to install them.
 */
export async function requireDefinitions(
  client: Pick<Client, 'list'>,
  kinds: readonly Resource[],
  signal: AbortSignal,
): Promise<void> {
  const isMissing = async (resource: Resource): Promise<boolean> => {
    try {
      await client.list(resource, { limit: 1 }, signal);
      return false;
    } catch (error) {
      return isNotFound(error);
    }
  };
  const answers = await Promise.all(kinds.map(isMissing));
  const missing = kinds.filter((_, i) => answers[i]);
  if (missing.length === 0) return;
  throw new UserError('this cluster lacks custom resource definitions that the controller needs', {
    code: 'KE1203',
    because: missing.map((resource) => `its API has no ${apiVersionOf(resource)} ${resource.plural}`),
    hints: ['kubectl karpenter controller --print-crds | kubectl apply -f -'],
  });
}
