import { expect, test } from 'vitest';
import { awsError, scriptedApi } from '../../../../test/aws/scripted-api.ts';
import { SILENT } from '../../../logging/logger.ts';
import { VirtualClock } from '../../../simulation/virtual-clock.ts';
import type { EksApi } from '../../aws-api/apis.ts';
import { VersionController } from '../../controllers/providers/version.ts';
import { DefaultVersionProvider } from './version-provider.ts';

function cluster({ minor = '34', eksControlPlane = false } = {}) {
  const clock = new VirtualClock();
  const answers = { eks: '1.33', server: { major: '1', minor }, isDown: false };
  const eks = scriptedApi<EksApi>({ describeCluster: async () => ({ cluster: { version: answers.eks } }) });
  const serverVersion = async () => {
    if (answers.isDown) throw new Error('refused');
    return answers.server;
  };
  const options = { clusterName: 'test', eksControlPlane };
  const version = new DefaultVersionProvider({ eks: eks.api, serverVersion, options, clock, log: SILENT });
  const reconcile = () => new VersionController({ version }).reconcile('all', new AbortController().signal);
  return { clock, answers, version, reconcile, eks };
}

test('1.7: the version is that of the API server, without the sign that some clouds put behind it', async () => {
  const { version, eks } = cluster({ minor: '34+' });
  expect(() => version.get()).toThrow('not known yet');
  await version.update();
  expect(version.get()).toBe('1.34');
  expect(eks.calls).toEqual([]);
});

test('1.7: or that of EKS', async () => {
  const { version, eks } = cluster({ eksControlPlane: true });
  await version.update();
  expect(version.get()).toBe('1.33');
  expect(eks.inputs('describeCluster')).toEqual([{ name: 'test' }]);
});

test('1.7: what was known stays while it can’t be asked', async () => {
  const { version, answers, reconcile } = cluster();
  await version.update();
  answers.isDown = true;
  await expect(reconcile()).rejects.toThrow(
    'updating version, validating kubernetes version, getting kubernetes version from the kubernetes API',
  );
  expect(version.get()).toBe('1.34');
});

test.each(['25', '37'])('2: a version that is not supported is an error once: 1.%s', async (minor) => {
  const { reconcile, clock, answers } = cluster({ minor });
  const problem = `updating version, validating kubernetes version, karpenter is not compatible with kubernetes version (version=1.${minor})`;
  await expect(reconcile()).rejects.toThrow(problem);
  await clock.advance(60_000);
  expect(await reconcile()).toEqual({ requeueAfter: 300_000 });
  answers.server.minor = '30';
  await reconcile();
  answers.server.minor = minor;
  await expect(reconcile()).rejects.toThrow(problem);
});

test.each(['26', '36'])('2: the first and the last version are supported: 1.%s', async (minor) => {
  expect(await cluster({ minor }).reconcile()).toEqual({ requeueAfter: 300_000 });
});

test('1.7: an EKS that does not answer is said', async () => {
  const { eks: _, ...rest } = cluster({ eksControlPlane: true });
  const eks = scriptedApi<EksApi>({ describeCluster: async () => Promise.reject(awsError('AccessDenied', 'no')) });
  const options = { clusterName: 'test', eksControlPlane: true };
  const deps = {
    eks: eks.api,
    serverVersion: async () => rest.answers.server,
    options,
    clock: rest.clock,
    log: SILENT,
  };
  await expect(new DefaultVersionProvider(deps).update()).rejects.toThrow('validating kubernetes version, no');
});
