import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { Developer, verify } from '../../support/apps.js';
import { describeWithMariaDb } from '../../support/databases.js';
import { createProduct } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';
import { appIdOf, countedCalls, flushUsage } from '../../support/usage.js';

/** When the connection of a COMMIT breaks. */
type Break = 'before it arrives' | 'as soon as it is sent' | 'before its answer';

/** As a packet of its protocol. */
const COMMIT = Buffer.from('\x07\0\0\0\x03COMMIT', 'latin1');

/** A way to a MariaDB that loses connections at their COMMIT. */
class CommitBreaker {
  at: Break | null = null;
  broken = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(targetPort: number): Promise<CommitBreaker> {
    const server = createServer((client) => breaker.join(client, connect(targetPort, '127.0.0.1')));
    await new Promise<void>((resume) => server.listen(0, '127.0.0.1', resume));
    const breaker = new CommitBreaker(server, (server.address() as AddressInfo).port);
    return breaker;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(client: Socket, target: Socket): void {
    let isLost = false;
    const lose = () => {
      this.broken += 1;
      client.destroy();
    };
    client.on('data', (chunk) => {
      const { at } = this;
      if (at === null || !chunk.equals(COMMIT)) return void target.write(chunk);
      this.at = null;
      if (at === 'before it arrives') {
        target.destroy();
        return lose();
      }
      isLost = true;
      target.write(chunk);
      if (at === 'as soon as it is sent') lose();
    });
    target.on('data', (chunk) => {
      if (!isLost) client.write(chunk);
      else if (!client.destroyed) lose();
    });
    client.on('close', () => {
      // What was sent is still to arrive.
      if (isLost) target.end();
      else target.destroy();
    });
    target.on('close', () => client.destroy());
    for (const socket of [client, target]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
    }
  }
}

describeWithMariaDb('a flush whose connection breaks at its COMMIT', () => {
  let test: TestPortal;
  let behind: TestPortal;
  let breaker: CommitBreaker;
  beforeAll(async () => {
    test = await startTestPortal({ dialect: 'mysql', replicas: 1 });
    const url = new URL(test.databaseUrl);
    breaker = await CommitBreaker.start(Number(url.port));
    url.port = String(breaker.port);
    // mysql2 keeps the timer of a statement whose connection is gone, and with it the process.
    const database = { statementTimeout: 2_000 };
    behind = await startTestPortal({ databaseUrl: url.href, clock: test.clock, config: { database } });
    await createProduct(test, { slug: 'payments' });
  });
  afterAll(async () => {
    await behind.stop();
    breaker.stop();
    await test.stop();
  });

  it.each<Break>(['before it arrives', 'as soon as it is sent', 'before its answer'])(
    'is counted once, %s, also when it happens again and again',
    async (at) => {
      const ada = await Developer.create(test);
      const name = at.replaceAll(' ', '-');
      const { key } = await ada.createApp(name, ['payments']);
      for (let round = 0; round < 5; round += 1) {
        const before = breaker.broken;
        for (let call = 0; call <= round; call += 1) await verify(behind, key, 'payments');
        // The note of the last use commits too; it is not what is broken here.
        await behind.portal.database.ping();
        breaker.at = at;
        await expect(flushUsage(behind)).rejects.toThrow();
        expect(breaker.broken).toBe(before + 1);
        await verify(behind, key, 'payments');
      }
      await flushUsage(behind);
      expect(await countedCalls(test.portal.database, await appIdOf(test, name))).toEqual({ 'payments allowed': 20 });
    },
  );
});
