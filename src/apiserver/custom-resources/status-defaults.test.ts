import { expect, it } from 'vitest';
import { KwokNodeClasses } from '../../../kwok-provider/apis/kwok-node-class.ts';
import { TestEnvironment } from '../../../test/environment.ts';

it('gives a new custom resource the defaults of its status, whatever status it was created with', async () => {
  const { client } = await TestEnvironment.open();
  const created = await client.create(KwokNodeClasses, {
    apiVersion: 'karpenter.kwok.sh/v1alpha1',
    kind: 'KWOKNodeClass',
    metadata: { name: 'second' },
    spec: {},
    status: { conditions: [] },
  });
  expect(created.status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  expect(await client.get(KwokNodeClasses, { name: 'second' })).toEqual(created);
});
