import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemaErrors } from '../support/json-schema.ts';
import { type Cli, cli } from '../support/run-cli.ts';

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** A program whose cluster is taken down at the end. */
async function cluster(name: string): Promise<Cli & { readonly up: readonly string[] }> {
  const program = await cli();
  return {
    ...program,
    up: ['up', '--local', '-d', '--name', name],
    [Symbol.asyncDispose]: async () => {
      await program.run(['down', '--name', name]);
      await program[Symbol.asyncDispose]();
    },
  };
}

describe('a local cluster in the background', { timeout: 60_000 }, () => {
  it('is there when up returns, says so the second time, and is gone without trace after down', async () => {
    await using program = await cluster('one');
    const kubeconfig = join(program.home, '.kube', 'config');
    const first = await program.run(program.up);
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toContain('kubectl apply -f examples/inflate.yaml');
    expect(await readFile(kubeconfig, 'utf8')).toContain('current-context: karpenter-one');

    const second = await program.run(program.up);
    expect(second).toMatchObject({ code: 0 });
    expect(second.stderr).toContain('cluster "one" runs already');

    const status = await program.run(['status', '-o', 'name']);
    expect(status).toEqual({ code: 0, stdout: 'nodepool.karpenter.sh/default\n', stderr: '' });

    const down = await program.run(['down', '--name', 'one']);
    expect(down.code).toBe(0);
    expect(await readFile(kubeconfig, 'utf8')).not.toContain('karpenter-one');
    expect(await exists(join(program.home, 'state', 'kubectl-karpenter'))).toBe(false);

    const again = await program.run(['down', '--name', 'one']);
    expect(again).toMatchObject({ code: 0, stderr: 'no cluster "one": nothing to do\n' });
  });

  it('is one cluster when it is started twice at once', async () => {
    await using program = await cluster('twice');
    const both = await Promise.all([program.run(program.up), program.run(program.up)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect((await program.run(['status', '-o', 'name'])).code).toBe(0);
  });

  it('is really there again when up returns after it was killed', async () => {
    await using program = await cluster('killed');
    await program.run(program.up);
    const lock = join(program.home, 'state', 'kubectl-karpenter', 'killed', 'lock');
    process.kill(Number(await readFile(lock, 'utf8')), 'SIGKILL');
    const gone = await program.run(['status']);
    expect(gone).toMatchObject({ code: 1, stdout: '' });
    expect(gone.stderr).toContain('does not answer');
    expect((await program.run(program.up)).code).toBe(0);
    expect(await program.run(['status', '-o', 'name'])).toMatchObject({
      code: 0,
      stdout: 'nodepool.karpenter.sh/default\n',
    });
  });

  it('gives the kubeconfig back as it was', async () => {
    await using program = await cluster('guest');
    const file = join(program.home, 'config');
    const before = `# mine
apiVersion: v1
kind: Config
clusters:
  - name: prod
    cluster:
      server: https://prod.example.com
contexts:
  - name: prod
    context:
      cluster: prod
      user: ""
users: []
current-context: prod
`;
    await writeFile(file, before);
    expect((await program.run([...program.up, '--kubeconfig', file])).code).toBe(0);
    expect(await readFile(file, 'utf8')).toContain('current-context: karpenter-guest');
    await program.run(['down', '--name', 'guest']);
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  it('plans nothing while no pod waits, and can be saved and read again', async () => {
    await using program = await cluster('saved');
    await program.run([...program.up, '--without', 'karpenter']);
    expect((await program.run(['plan'])).stdout).toBe('Nothing to do: no pod waits for a node.\n');
    const snapshot = await program.run(['snapshot', '-q']);
    expect(snapshot.code).toBe(0);
    const pools = await program.run(['status', '-o', 'name', '--from', '-'], { input: snapshot.stdout });
    expect(pools).toEqual({ code: 0, stdout: 'nodepool.karpenter.sh/default\n', stderr: '' });
  });
});

describe('trouble in a local cluster', { timeout: 60_000 }, () => {
  it('is there from the start, changes by command, and counts for whoever plans', async () => {
    await using program = await cluster('market');
    expect((await program.run([...program.up, '--without', 'karpenter', '--sold-out', 'c-*'])).code).toBe(0);
    const { stdout } = await program.run(['chaos', 'sold-out', 'm-*/*/on-demand', '--for', '1h', '-o', 'json']);
    const report = JSON.parse(stdout) as { readonly soldOut: readonly Record<string, unknown>[] };
    expect(report.soldOut).toEqual([
      { nodeClass: 'default', offering: 'c-*/*/*', until: null },
      { nodeClass: 'default', offering: 'm-*/*/on-demand', until: expect.stringMatching(/Z$/) },
    ]);
    const schema = JSON.parse(await readFile('schemas/ChaosReport.json', 'utf8')) as Parameters<typeof schemaErrors>[0];
    expect(schemaErrors(schema, report)).toEqual([]);
    const pool = await program.run(['explain', 'nodepool', 'default', '-o', 'json']);
    const { cheapest } = JSON.parse(pool.stdout).offerings as {
      readonly cheapest: readonly { readonly name: string }[];
    };
    expect(cheapest.map(({ name }) => name[0])).toEqual(['s', 's', 's', 's', 's']);
    const rest = await program.run(['chaos', 'available', '*']);
    expect(rest).toEqual({ code: 0, stdout: 'Nothing is sold out.\n', stderr: '' });
    const slip = await program.run(['chaos', 'sold-out', 'c-1x-amd64-linux/tset-zone-a/spot']);
    expect(slip).toMatchObject({ code: 2, stdout: '' });
    expect(slip.stderr).toContain('c-1x-amd64-linux/test-zone-a/spot');
  });
});

describe('up that can not work', { timeout: 60_000 }, () => {
  it('names a port that is in use', async () => {
    await using program = await cluster('busy');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const { code, stderr } = await program.run(['up', '--local', '--name', 'busy', '--port', String(port)]);
    server.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`error: port ${port} is in use by another program`);
    expect(stderr).not.toContain('    at ');
    // The first start that works is still the first one, with all that a new cluster begins with.
    expect((await program.run(program.up)).code).toBe(0);
    expect((await program.run(['status', '-o', 'name'])).stdout).toBe('nodepool.karpenter.sh/default\n');
  });

  it('says which ports there are', async () => {
    await using program = await cluster('port');
    const { code, stderr } = await program.run(['up', '--local', '--name', 'port', '--port', '99999']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: --port: .*65535/);
  });

  it('names a state folder that can not be made', async () => {
    await using program = await cluster('nowhere');
    const file = join(program.home, 'file');
    await writeFile(file, '');
    const { code, stderr } = await program.run(program.up, { env: { XDG_STATE_HOME: file } });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: the state folder .*file\/kubectl-karpenter\/nowhere can't be written\n/);
  });

  it('names a kubeconfig that is broken, and leaves it alone', async () => {
    await using program = await cluster('broken');
    const file = join(program.home, 'config');
    await writeFile(file, 'contexts: {');
    const { code, stderr } = await program.run(['up', '--local', '--name', 'broken', '--kubeconfig', file]);
    expect(code).toBe(1);
    expect(stderr).toContain(`error: kubeconfig ${file} can't be used`);
    expect(await readFile(file, 'utf8')).toBe('contexts: {');
  });

  it('shows the end of the log when the start in the background fails', async () => {
    await using program = await cluster('corrupt');
    const folder = join(program.home, 'state', 'kubectl-karpenter', 'corrupt');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'state.sqlite'),
      'not a database at all, but long enough to be taken for one'.repeat(100),
    );
    await writeFile(join(folder, 'up.log'), 'of an earlier start\n');
    const { code, stderr } = await program.run(program.up);
    expect(code).toBe(1);
    expect(stderr).toContain('error: the cluster "corrupt" did not start');
    expect(stderr).not.toContain('of an earlier start');
    expect(stderr).toContain('KE1403');
  });
});
