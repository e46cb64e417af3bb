import { within } from '../core/index.js';

export type RedisReply = string | number | null | readonly RedisReply[];

/** One connection to Redis. It never reconnects by itself: {@link RedisConnection} opens a new one. */
export interface RedisClient {
  /** @throws RedisRefusal for an error reply of Redis, other errors when the connection fails */
  send(command: readonly string[]): Promise<RedisReply>;
  close(): void;
}

/** Redis replied with an error; the connection itself works. */
export class RedisRefusal extends Error {
  override readonly name = 'RedisRefusal';

  /** The first word: `NOSCRIPT`, `OOM`, `READONLY` … */
  get kind(): string {
    return this.message.split(' ', 1)[0] ?? '';
  }

  /** The only part that is logged: the rest may repeat the command with its values. */
  get code(): string {
    return this.kind;
  }
}

export interface ConnectOptions {
  readonly url: string;
  /** Connect timeout in milliseconds. */
  readonly timeout: number;
  /** Called once, when the connection is lost. */
  readonly onLost: (error: unknown) => void;
}

export type Connect = (options: ConnectOptions) => Promise<RedisClient>;

/** Opens a connection with the `redis` package, imported lazily: it is large, and most portals never need it. */
export const connectRedis: Connect = async ({ url, timeout, onLost }) => {
  const { createClient, ErrorReply } = await import('redis');
  const client = createClient({
    url,
    name: 'portalkit',
    RESP: 2,
    // Without these two, commands wait indefinitely for a server that is gone.
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false, connectTimeout: timeout },
  });
  // Without a listener, a socket error would end the process.
  client.on('error', onLost);
  client.on('end', () => onLost(new Error('the connection was closed')));
  try {
    await within(timeout, client.connect());
  } catch (error) {
    client.destroy();
    throw error;
  }
  return {
    send: async (command) => {
      try {
        return await client.sendCommand<RedisReply>([...command]);
      } catch (error) {
        throw error instanceof ErrorReply ? new RedisRefusal(error.message, { cause: error }) : error;
      }
    },
    close: () => client.destroy(),
  };
};
