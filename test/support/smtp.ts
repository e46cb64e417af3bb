import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

type Mood = 'accept' | 'defer' | 'refuse' | 'hang';

/** A real SMTP server on a free port whose mood a test chooses. */
export interface TestSmtp {
  readonly url: string;
  /** Whole messages, as they came over the wire. */
  readonly received: string[];
  mood: Mood;
  close(): Promise<void>;
}

/** @param at any free port by default */
export async function startSmtp(at = 0): Promise<TestSmtp> {
  const smtp: { received: string[]; mood: Mood } = { received: [], mood: 'accept' };
  const hanging: ((error: Error) => void)[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: (_address, _session, done) => {
      if (smtp.mood === 'refuse') return done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
      if (smtp.mood === 'defer') return done(Object.assign(new Error('try later'), { responseCode: 451 }));
      if (smtp.mood === 'hang') return void hanging.push(done);
      done();
    },
    onData: (stream, _session, done) => {
      void text(stream).then((message) => {
        smtp.received.push(message);
        done();
      });
    },
  });
  server.on('error', () => undefined);
  server.listen(at, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  return Object.assign(smtp, {
    url: `smtp://127.0.0.1:${port}`,
    close: async () => {
      // Whoever still waits is told that the server goes.
      for (const done of hanging) done(Object.assign(new Error('closing'), { responseCode: 421 }));
      await new Promise<void>((resolve) => server.close(resolve));
    },
  });
}
