import { expect, test } from 'vitest';
import { NODE_POOL_DEFINITION } from '../../apis/crds/node-pool.ts';
import { ApiServer } from '../../apiserver/index.ts';
import { ApiError } from '../../kube/errors.ts';
import { CustomResourceDefinitions, NodeClaims, NodeOverlays, NodePools } from '../../kube/resources.ts';
import { SeededRandom } from '../../operator/random.ts';
import { VirtualClock } from '../../simulation/virtual-clock.ts';
import { requireDefinitions } from './require-definitions.ts';

const { signal } = new AbortController();

test('all kinds that the API lacks are named, with the command that installs them', async () => {
  const clock = new VirtualClock();
  const api = await ApiServer.open({ clock, random: new SeededRandom(1) });
  const client = api.client();
  await client.create(CustomResourceDefinitions, NODE_POOL_DEFINITION);
  await clock.advance(1000);
  const error = await requireDefinitions(client, [NodePools, NodeClaims, NodeOverlays], signal).catch((e) => e);
  expect(error).toMatchObject({
    code: 'KE1203',
    because: ['its API has no karpenter.sh/v1 nodeclaims', 'its API has no karpenter.sh/v1alpha1 nodeoverlays'],
    hints: ['kubectl karpenter controller --print-crds | kubectl apply -f -'],
  });
  await expect(requireDefinitions(client, [NodePools], signal)).resolves.toBeUndefined();
  await api.stop();
});

test('a kind that may not be listed is not taken for missing', async () => {
  const list = () => Promise.reject(new ApiError({ code: 403, reason: 'Forbidden' }));
  await expect(requireDefinitions({ list }, [NodePools], signal)).resolves.toBeUndefined();
});
