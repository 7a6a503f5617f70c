import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError } from '../kube/errors.ts';
import { renderError } from './error-text.ts';
import { Interrupted } from './io.ts';
import { styleFor } from './style.ts';
import { UsageError, UserError } from './user-error.ts';

const style = styleFor({ color: false, live: false, unicode: false, width: Number.POSITIVE_INFINITY });
const render = (error: unknown) => renderError(error, { style, bin: 'kubectl karpenter', version: 'v1' });

describe('an error', () => {
  it('that the user can mend says what, why and what to try, without a stack', () => {
    const { text, exitCode } = render(
      new UserError('port 1 is in use', { code: 'KE1402', because: ['a', 'b\nc'], hints: ['another'] }),
    );
    expect(text).toBe(`error: port 1 is in use
  because  a
  because  b
           c
  try      another
  code     KE1402  (kubectl karpenter help KE1402)
`);
    expect(exitCode).toBe(1);
  });

  it('of usage exits 2', () => {
    expect(render(new UsageError('unknown flag: --x')).exitCode).toBe(2);
  });

  it('of the API keeps its words', () => {
    const { text, exitCode } = render(new ApiError({ code: 404, reason: 'NotFound', message: 'pods "a" not found' }));
    expect([text, exitCode]).toEqual(['Error from server (NotFound): pods "a" not found\n', 1]);
  });

  it('of missing rights names the verb that is missing', () => {
    const message =
      'nodepools.karpenter.sh is forbidden: User "x" cannot list resource "nodepools" in API group "karpenter.sh" at the cluster scope';
    expect(render(new ApiError({ code: 403, reason: 'Forbidden', message })).text).toContain(
      'missing  the RBAC verb "list" on nodepools.karpenter.sh',
    );
  });

  it('of the connection tells how to get a cluster', () => {
    expect(render(new ConnectionError('connect ECONNREFUSED 127.0.0.1:1')).text).toContain('up --local');
  });

  it('of ours shows stack and version', () => {
    const { text } = render(new TypeError('x is undefined'));
    expect(text).toContain('fault in kubectl karpenter');
    expect(text).toContain('error-text.test.ts');
    expect(text).toContain('version  v1');
  });

  it('never shows a token', () => {
    expect(render(new Error('Authorization: Bearer abcdefgh12345678 refused')).text).not.toContain('abcdefgh12345678');
  });

  it('that is an interruption says nothing', () => {
    expect(render(new Interrupted('SIGINT', 130))).toEqual({ text: '', exitCode: 130 });
  });
});
