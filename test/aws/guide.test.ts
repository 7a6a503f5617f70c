import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { awsDefinitions } from '../../src/aws-provider/apis/crd/index.ts';
import { type EC2NodeClass, Ec2NodeClasses } from '../../src/aws-provider/apis/ec2-node-class.ts';
import { unsupportedKubelet } from '../../src/aws-provider/kubelet/family-support.ts';
import type { Resource } from '../../src/kube/client.ts';
import type { KubeObject } from '../../src/kube/objects.ts';
import { NodePools } from '../../src/kube/resources.ts';
import { TestEnvironment } from '../environment.ts';

let env: TestEnvironment;

beforeAll(async () => {
  env = await TestEnvironment.open(1, awsDefinitions());
});
afterAll(() => env.close());

const RESOURCES: Readonly<Record<string, Resource>> = {
  EC2NodeClass: Ec2NodeClasses as Resource,
  NodePool: NodePools as Resource,
};

/** Creates the objects; the API refuses what breaks a rule or has a field that there is not. */
async function created(yaml: string): Promise<readonly KubeObject[]> {
  const objects = parseAllDocuments(yaml).map((document) => document.toJS() as KubeObject);
  const options = { fieldValidation: 'Strict' } as const;
  return await Promise.all(
    objects.map((object) => env.client.create(RESOURCES[object.kind ?? ''] as Resource, object, options)),
  );
}

test('the class and the pool of the example are taken by the API', async () => {
  const objects = await created(await readFile('examples/aws.yaml', 'utf8'));
  expect(objects.map(({ kind }) => kind)).toEqual(['EC2NodeClass', 'NodePool']);
});

test('the class of the guide is taken by the API, and its kubelet by the family', async () => {
  const guide = await readFile('docs/guides/aws.md', 'utf8');
  const [nodeClass] = await created(/```yaml\n(.*?)```/s.exec(guide)?.[1] ?? '');
  expect(nodeClass?.metadata.name).toBe('kubeadm');
  expect(unsupportedKubelet(nodeClass as EC2NodeClass)).toBeUndefined();
});
