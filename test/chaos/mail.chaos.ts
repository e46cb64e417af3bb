import { setTimeout as pause } from 'node:timers/promises';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { registration } from '../support/chaos/sign-ups.js';
import { UNLIMITED } from '../support/project.js';
import { startSmtp, type TestSmtp } from '../support/smtp.js';

/** Beside what a registration takes by itself. */
const LONGER_MS = 500;
/** A server that hangs is given up after ten seconds; the next try comes in the next round of the job. */
const DELIVERED_MS = 30_000;

interface Fault {
  readonly mood: TestSmtp['mood'] | 'away';
  /** What becomes of the mails. */
  readonly state: 'queued' | 'failed';
}

describe('a process and a mail server that fails', () => {
  let smtp: TestSmtp;
  let port: number;
  let crew: Crew;
  let count = 0;
  beforeAll(async () => {
    smtp = await startSmtp();
    port = Number(new URL(smtp.url).port);
    const mail = { transport: 'smtp', url: smtp.url, from: 'no-reply@acme.example' } as const;
    const limits = { ...UNLIMITED, forgotPassword: { perAccount: 1_000, perIp: 1_000 } };
    crew = await startCrew({ replicas: 1, config: { mail, limits } });
  }, 60_000);
  afterAll(async () => {
    await crew.stop();
    await smtp.close();
  });

  /** Somebody registers, and asks for a new password. */
  async function newcomer() {
    count += 1;
    const email = `reader${count}@example.com`;
    const [client] = crew.clients;
    const began = performance.now();
    const registered = await client.post('/api/v1/auth/register', registration(email));
    const forgotten = await client.post('/api/v1/auth/forgot-password', { email });
    return { email, ms: performance.now() - began, statuses: [registered.status, forgotten.status] };
  }

  const states = async (state: string) =>
    crew.count(`SELECT COUNT(*) AS mails FROM portal_mails WHERE state = '${state}' AND tries > 0`);

  async function until(what: string, isThere: () => boolean | Promise<boolean>): Promise<number> {
    const began = performance.now();
    while (!(await isThere())) {
      if (performance.now() - began > DELIVERED_MS)
        throw new Error(`${what} did not come: ${smtp.received.join('\n')}`);
      await pause(50);
    }
    return performance.now() - began;
  }

  it.each<[string, Fault]>([
    ['refuses connections [fast]', { mood: 'away', state: 'queued' }],
    ['defers every mail (450)', { mood: 'defer', state: 'queued' }],
    ['refuses every mail (550) [fast]', { mood: 'refuse', state: 'failed' }],
    ['hangs', { mood: 'hang', state: 'queued' }],
  ])(
    'R37: that %s keeps nobody from registering, and mails can be asked for again',
    async (name, { mood, state }) => {
      const plain = await newcomer();
      expect(plain.statuses).toEqual([201, 200]);
      await until('the mail', () => smtp.received.some((message) => message.includes(plain.email)));
      if (mood === 'away') await smtp.close();
      else smtp.mood = mood;
      const before = await states(state);
      const broken = await newcomer();
      expect(broken.statuses).toEqual([201, 200]);
      expect(broken.ms).toBeLessThan(plain.ms + LONGER_MS);
      await until('the failure', async () => (await states(state)) > before || mood === 'hang');
      if (mood === 'away') smtp = await startSmtp(port);
      else smtp.mood = 'accept';
      const again = await crew.clients[0].post('/api/v1/auth/forgot-password', { email: broken.email });
      expect(again.status).toBe(200);
      const delivered = await until('the mail that was asked for again', () =>
        smtp.received.some((message) => message.includes(broken.email)),
      );
      finding(
        'R37',
        `mail server ${name.replace(' [fast]', '')}`,
        `register 201 and forgot 200 in ${Math.round(broken.ms)} ms (${Math.round(plain.ms)} ms when all is well), mails ${state}; ` +
          `asked for again, it came ${Math.round(delivered)} ms after the server was back`,
      );
    },
    90_000,
  );
});
