import { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';

import type { Duplex } from 'node:stream';

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

interface ParserError extends Error {
  readonly code?: string;
  /** All that came in one piece with what couldn't be read. */
  readonly rawPacket?: Buffer;
}

const BAD_REQUEST =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request';

/** A request of a method that Node's parser doesn't know, as it would have parsed it; undefined for what is no request. */
const readRequest = ({ code, rawPacket }: ParserError, socket: Duplex): IncomingMessage | undefined => {
  if (code !== 'HPE_INVALID_METHOD' || rawPacket === undefined) return undefined;
  const [head = ''] = rawPacket.toString('latin1').split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const [, method, url] = /^([!#$%&'*+.^_`|~\w-]+) (\S+) HTTP\/1\.[01]$/.exec(first) ?? [];
  if (method === undefined || url === undefined) return undefined;
  const request = new IncomingMessage(socket as Socket);
  request.method = method;
  request.url = url;
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) request.headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
  }
  request.push(null);
  return request;
};

/**
 * Answers requests of methods that don't exist as any other server does, instead of by Node's bare 400. The connection ends
 * with the answer.
 */
export function answerUnknownMethods(server: Server, handle: Handle): void {
  server.on('clientError', (error: ParserError, socket) => {
    if (socket.destroyed || !socket.writable) return;
    const request = readRequest(error, socket);
    if (request === undefined) {
      // What couldn't be read is told so; who sent nothing for too long, or broke off, expects no answer: clients keep such
      // connections for later, and take words on them for a fault.
      if (error.code?.startsWith('HPE_')) socket.end(BAD_REQUEST);
      else socket.destroy();
      return;
    }
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(socket as Socket);
    } catch {
      // The answer to an earlier request is still under way: what follows it on this connection can't be answered.
      socket.destroy();
      return;
    }
    response.on('finish', () => socket.end());
    void handle(request, response).catch(() => socket.destroy());
  });
}
