import { within } from '../../core/index.js';

export type RedisReply = string | number | null | readonly RedisReply[];

/** One connection to a Redis. It never connects again by itself: {@link RedisLink} opens another one. */
export interface RedisClient {
  /** @throws RedisRefusal for what Redis answered, other errors when the connection does not work */
  send(command: readonly string[]): Promise<RedisReply>;
  close(): void;
}

/** Redis answered with an error; the connection itself is good. */
export class RedisRefusal extends Error {
  override readonly name = 'RedisRefusal';

  /** The first word: `NOSCRIPT`, `OOM`, `READONLY` … */
  get kind(): string {
    return this.message.split(' ', 1)[0] ?? '';
  }

  /** All of it that is logged: the rest may repeat the command with its values. */
  get code(): string {
    return this.kind;
  }
}

export interface ConnectOptions {
  readonly url: string;
  /** Milliseconds until the connection has to be there. */
  readonly timeout: number;
  /** Told once, when the connection is lost. */
  readonly onLost: (error: unknown) => void;
}

export type Connect = (options: ConnectOptions) => Promise<RedisClient>;

/** Opens a connection with the `redis` package, which is loaded now: it is large, and most portals never need it. */
export const connectRedis: Connect = async ({ url, timeout, onLost }) => {
  const { createClient, ErrorReply } = await import('redis');
  const client = createClient({
    url,
    name: 'portalkit',
    RESP: 2,
    // Without these two a command waits, for ever if need be, for a server that is gone.
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false, connectTimeout: timeout },
  });
  // Without a listener an error of the socket would end the process.
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
