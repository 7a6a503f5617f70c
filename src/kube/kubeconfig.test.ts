import { chmod, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RealClock } from '../operator/clock.ts';
import { VirtualClock } from '../simulation/virtual-clock.ts';
import { kubeconfigPaths, readKubeconfig } from './kubeconfig.ts';
import { accessFromKubeconfig, accessInCluster } from './kubeconfig-access.ts';
import { removeContext, writeContext } from './kubeconfig-file.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const clock = new RealClock();

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const simple = `# mine
apiVersion: v1
kind: Config
clusters:
  - name: prod # careful
    cluster:
      server: https://prod.example:6443
      certificate-authority: ca.crt
users:
- name: me
  user: {token: secret}
contexts:
- name: prod
  context: {cluster: prod, user: me, namespace: shop}
current-context: prod
preferences: {}
`;

describe('which kubeconfig', () => {
  it.each([
    [{ explicit: '/x', env: '/a:/b', fallback: '/home' }, ['/x']],
    [{ env: '/a::/b:/a', fallback: '/home' }, ['/a', '/b']],
    [{ env: '', fallback: '/home' }, ['/home']],
    [{ fallback: '/home' }, ['/home']],
  ])('%j means %j', (sources, expected) => {
    expect(kubeconfigPaths(sources)).toEqual(expected);
  });

  it('merges files, the first to say something winning', async () => {
    const first = await file('first', 'contexts: [{name: a, context: {cluster: c1}}]\ncurrent-context: ""\n');
    const second = await file(
      'second',
      'contexts: [{name: a, context: {cluster: c2}}, {name: b}]\ncurrent-context: b\n',
    );
    const config = await readKubeconfig([first, join(folder, 'missing'), second]);
    expect(config.contexts.get('a')).toEqual({ cluster: 'c1' });
    expect(config.currentContext).toBe('b');
  });

  it.each([
    ['a: [', /at line 1/],
    ['- a', /not a mapping/],
    ['clusters: {a: b}', /clusters is not a list/],
    ['users: [{user: {}}]', /users\[0\] has no name/],
  ])('%j is refused with the file it is in', async (text, message) => {
    const path = await file('config', text);
    await expect(readKubeconfig([path])).rejects.toMatchObject({ name: 'KubeconfigError', file: path });
    await expect(readKubeconfig([path])).rejects.toThrow(message);
  });

  it('is an error when the one named does not exist', async () => {
    await expect(readKubeconfig([join(folder, 'missing')], true)).rejects.toThrow(/ENOENT/);
  });
});

describe('access', () => {
  it('follows the current context, with paths relative to the file', async () => {
    await file('ca.crt', 'PEM');
    const config = await readKubeconfig([await file('config', simple)]);
    const access = await accessFromKubeconfig(config, {}, clock);
    expect(access).toMatchObject({ server: 'https://prod.example:6443', namespace: 'shop', tls: { ca: 'PEM' } });
    expect(await access.headers()).toEqual({ authorization: 'Bearer secret' });
  });

  it('lets flags stand above the file', async () => {
    await file('ca.crt', 'PEM');
    const config = await readKubeconfig([await file('config', simple)]);
    const overrides = { namespace: 'other', server: 'http://127.0.0.1:1/', token: 't' };
    const access = await accessFromKubeconfig(config, overrides, clock);
    expect(access).toMatchObject({ server: 'http://127.0.0.1:1', namespace: 'other' });
    expect(await access.headers()).toEqual({ authorization: 'Bearer t' });
  });

  it.each([
    [{ context: 'nope' }, 'context "nope" does not exist'],
    [{ cluster: 'nope' }, 'cluster "nope" does not exist'],
    [{ user: 'nope' }, 'user "nope" does not exist'],
  ])('%j is refused', async (overrides, message) => {
    const config = await readKubeconfig([await file('config', simple)]);
    await expect(accessFromKubeconfig(config, overrides, clock)).rejects.toThrow(message);
  });

  it('says when there is no context at all', async () => {
    await expect(accessFromKubeconfig(await readKubeconfig([]), {}, clock)).rejects.toThrow(
      'no current context is set',
    );
  });

  it('reads a token file again when it may have been renewed', async () => {
    const token = await file('token', 'one\n');
    const text = `clusters: [{name: c, cluster: {server: "http://x"}}]
users: [{name: u, user: {tokenFile: token, as: boss, as-groups: [a, b]}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x`;
    const time = new VirtualClock();
    const access = await accessFromKubeconfig(await readKubeconfig([await file('config', text)]), {}, time);
    const identity = { 'impersonate-user': 'boss', 'impersonate-group': ['a', 'b'] };
    expect(await access.headers()).toEqual({ ...identity, authorization: 'Bearer one' });
    await writeFile(token, 'two');
    expect(await access.headers()).toMatchObject({ authorization: 'Bearer one' });
    await time.advance(60_000);
    expect(await access.headers()).toMatchObject({ authorization: 'Bearer two' });
  });

  it('runs an exec plugin', async () => {
    const plugin = await file(
      'plugin',
      '#!/bin/sh\necho \'{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"from-plugin"}}\'\n',
    );
    await chmod(plugin, 0o755);
    const text = `clusters: [{name: c, cluster: {server: "https://x"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin, interactiveMode: Never}}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x`;
    const access = await accessFromKubeconfig(await readKubeconfig([await file('config', text)]), {}, clock);
    expect(await access.headers()).toEqual({ authorization: 'Bearer from-plugin' });
  });

  it('uses the service account inside of a cluster', async () => {
    await Promise.all([file('token', 't'), file('ca.crt', 'PEM'), file('namespace', 'karpenter')]);
    const env = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
    const access = await accessInCluster(env, clock, folder);
    expect(access).toMatchObject({ server: 'https://[fd00::1]:443', namespace: 'karpenter', tls: { ca: 'PEM' } });
    expect(await access.headers()).toEqual({ authorization: 'Bearer t' });
    await expect(accessInCluster({}, clock, folder)).rejects.toThrow('not running in a cluster');
  });
});

describe('writing a context', () => {
  const entry = { name: 'local', cluster: { server: 'https://127.0.0.1:6443' }, user: { token: 't' } };

  it('leaves everything else as it was, and can be undone', async () => {
    const path = await file('config', simple);
    const written = await writeContext([path], entry, { select: true, clock });
    expect(written).toEqual({ file: path, previousContext: 'prod' });
    const config = await readKubeconfig([path]);
    expect(config.currentContext).toBe('local');
    expect(config.contexts.get('local')).toEqual({ cluster: 'local', user: 'local' });
    expect(config.clusters.get('local')).toEqual(entry.cluster);
    const text = await readFile(path, 'utf8');
    expect(text).toContain('# mine');
    expect(text).toContain('- name: prod # careful');

    await removeContext([path], 'local', { fallbackContext: 'prod', clock });
    expect((await readKubeconfig([path])).currentContext).toBe('prod');
    expect(await readdir(folder)).toEqual(['config']);
    expect(await readFile(path, 'utf8')).not.toContain('local');
  });

  it('replaces a context of the same name instead of adding a second', async () => {
    const path = await file('config', simple);
    await writeContext([path], entry, { select: false, clock });
    await writeContext([path], { ...entry, user: { token: 'new' } }, { select: false, clock });
    const config = await readKubeconfig([path]);
    expect(config.users.get('local')).toEqual({ token: 'new' });
    expect(config.currentContext).toBe('prod');
    expect((await readFile(path, 'utf8')).match(/name: local/g)).toHaveLength(3);
  });

  it('creates a private file where there is none, and forgets a current context that has gone', async () => {
    const path = join(folder, 'new', 'config');
    await writeContext([path], entry, { select: true, clock });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readKubeconfig([path])).currentContext).toBe('local');
    await removeContext([path], 'local', { fallbackContext: 'gone', clock });
    expect((await readKubeconfig([path])).currentContext).toBeUndefined();
  });

  it('writes to the first file of several that exists, but selects where the selection is', async () => {
    const first = await file('first', 'kind: Config\n');
    const second = await file('second', simple);
    await writeContext([join(folder, 'missing'), first, second], entry, { select: true, clock });
    expect(await readFile(first, 'utf8')).toContain('local');
    expect((await readKubeconfig([second])).currentContext).toBe('local');
    expect((await readKubeconfig([first])).currentContext).toBeUndefined();
  });

  it('follows a link to the real file', async () => {
    const real = await file('real', simple);
    const link = join(folder, 'config');
    await symlink(real, link);
    await writeContext([link], entry, { select: false, clock });
    expect(await readFile(real, 'utf8')).toContain('local');
  });

  it('touches nothing where the file is malformed', async () => {
    const path = await file('config', 'clusters: [');
    await expect(writeContext([path], entry, { select: true, clock })).rejects.toMatchObject({ file: path });
    expect(await readFile(path, 'utf8')).toBe('clusters: [');
    expect(await readdir(folder)).toEqual(['config']);
  });

  it('waits for others who write, and gives up with the name of their lock', async () => {
    const path = await file('config', simple);
    const lock = await file('config.lock', '');
    const time = new VirtualClock();
    const outcome = writeContext([path], entry, { select: false, clock: time }).catch((error: unknown) => error);
    let ended = false;
    void outcome.then(() => {
      ended = true;
    });
    while (!ended) await time.advance(50);
    expect(await outcome).toMatchObject({ name: 'LockedError', lockFile: lock });
  });
});
