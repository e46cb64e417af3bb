import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be blocked (nothing passes, nothing closes) and cut, as a network or a frozen host does. */
export interface TcpProxy {
  port: number;
  block(): void;
  unblock(): void;
  /** Closes every connection; new ones are let through. */
  cut(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let blocked = false;
  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (blocked) from.pause();
    }
  });
  await new Promise<void>((resume) => server.listen(0, '127.0.0.1', resume));
  const cut = () => sockets.forEach((socket) => socket.destroy());
  return {
    port: (server.address() as AddressInfo).port,
    block() {
      blocked = true;
      sockets.forEach((socket) => socket.pause());
    },
    unblock() {
      blocked = false;
      sockets.forEach((socket) => socket.resume());
    },
    cut,
    close: () =>
      new Promise((resume) => {
        server.close(() => resume());
        cut();
      }),
  };
}
