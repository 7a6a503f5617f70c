import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy whose connections can be cut. */
export interface FlakyProxy {
  readonly url: string;
  /** Cuts every open connection, in the middle of whatever it carries. */
  cut(): void;
  /** Lets no more than this many bytes of an answer through before it cuts; undefined for all. */
  limit(bytes: number | undefined): void;
  close(): Promise<void>;
}

/** Listens on a free port in front of `target`, an https URL. */
export async function flakyProxy(target: string): Promise<FlakyProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let limit: number | undefined;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.pipe(far);
    let passed = 0;
    far.on('data', (chunk) => {
      passed += chunk.length;
      if (limit !== undefined && passed > limit) far.destroy();
      else near.write(chunk);
    });
    far.on('end', () => near.end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    limit: (bytes) => {
      limit = bytes;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
