import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { Authenticator } from '../http/api-handler.ts';
import type { UserInfo } from '../registry/request.ts';
import type { TokenReader } from '../subresources/access-reviews.ts';

/** Bearer tokens and client certificates. A certificate's CN is the user, its Os are the groups. */
export function authenticator(tokens: TokenReader): Authenticator {
  return (request) => {
    const header = request.headers.authorization ?? '';
    const bearer = /^bearer(?: +(.*))?$/i.exec(header);
    const token = bearer?.[1]?.trim();
    if (token) return tokens(token) ?? 'invalid';
    if (header && !bearer) return 'invalid';
    return certificateUser(request);
  };
}

function certificateUser({ socket }: IncomingMessage): UserInfo | undefined {
  const tls = socket as Partial<TLSSocket>;
  if (!tls.authorized) return undefined;
  const subject = tls.getPeerCertificate?.().subject as { CN?: string; O?: string | string[] } | undefined;
  if (!subject?.CN) return undefined;
  const groups = subject.O === undefined ? [] : [subject.O].flat();
  return { name: subject.CN, groups: [...groups, 'system:authenticated'] };
}
