import { LoginFailedEvent } from '../../../src/domain/auth/index.js';
import { createUser, PASSWORD } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

const LOGIN = '/api/v1/auth/login';
// The requests of one address are not what is counted here.
const config = { limits: { store: 'database', ip: { requests: { max: 200 } } } } as const;

let replicas: [TestPortal, TestPortal];
let failures = 0;
beforeAll(async () => {
  const first = await startTestPortal({ config });
  const second = await startTestPortal({ config, clock: first.clock, databaseUrl: first.databaseUrl });
  replicas = [first, second];
  for (const { portal } of replicas) portal.events.on(LoginFailedEvent, () => void (failures += 1));
});
afterAll(async () => {
  await replicas[1].stop();
  await replicas[0].stop();
});

const runInParallel = async (times: number, body: unknown): Promise<number[]> => {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, index) => replicas[index % 2 ? 0 : 1].client.post(LOGIN, body)),
  );
  return answers.map(({ status }) => status);
};
const countOf = (wanted: number, statuses: number[]) => statuses.filter((status) => status === wanted).length;

describe('two replicas that share a database', () => {
  it('evaluate five of a hundred parallel wrong passwords (S15)', async () => {
    const { email } = await createUser(replicas[0]);
    const statuses = await runInParallel(100, { email, password: 'wrong horse battery staple' });
    expect([countOf(401, statuses), countOf(429, statuses), failures]).toEqual([5, 95, 5]);
    replicas[0].clock.advance(60);
    expect((await replicas[1].client.post(LOGIN, { email, password: PASSWORD })).status).toBe(200);
  });

  it('let twenty parallel right logins in (S16)', async () => {
    const { email } = await createUser(replicas[0]);
    expect(await runInParallel(20, { email, password: PASSWORD })).toEqual(Array(20).fill(200));
  });

  it('count the requests of an address together', async () => {
    const { clock, client } = replicas[0];
    clock.advance(120);
    const statuses: number[] = [];
    // In portions: all at once, some would be put off for want of a connection (503) on a busy machine.
    for (let portion = 0; portion < 7; portion += 1) {
      statuses.push(...(await runInParallel(30, { email: 'nobody', password: '' })));
    }
    expect([countOf(422, statuses), countOf(429, statuses)]).toEqual([200, 10]);
    const { status, headers } = await client.post(LOGIN, {});
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
  });
});
