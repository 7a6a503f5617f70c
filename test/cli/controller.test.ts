import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { cli } from '../support/run-cli.ts';

test('--print-rbac writes manifests for the named account, with the reason above each rule', async () => {
  await using program = await cli();
  const args = ['controller', '--print-rbac', '-n', 'infra', '--service-account', 'scaler'];
  const { code, stdout, stderr } = await program.run([...args, '--feature-gates', 'CapacityBuffer=true']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const objects = parseAllDocuments(stdout).map((document) => document.toJS());
  expect(objects.map(({ kind, metadata }) => [kind, metadata.namespace, metadata.name])).toEqual([
    ['ServiceAccount', 'infra', 'scaler'],
    ['ClusterRole', undefined, 'scaler'],
    ['ClusterRoleBinding', undefined, 'scaler'],
    ['Role', 'infra', 'scaler'],
    ['RoleBinding', 'infra', 'scaler'],
  ]);
  expect(objects[2].subjects).toEqual([{ kind: 'ServiceAccount', name: 'scaler', namespace: 'infra' }]);
  const reasons = stdout.match(/^ *(- )?# /gm) ?? [];
  expect(reasons).toHaveLength(objects[1].rules.length + objects[3].rules.length);
  expect(stdout).toMatch(/# CapacityBuffer: room to keep free/);
});
