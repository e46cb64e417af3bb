import { startBreakableMariaDb, type BreakableMariaDb } from '../support/chaos/breakable-mariadb.js';
import { startCrew, type Crew } from '../support/chaos/crew.js';
import { finding } from '../support/chaos/finding.js';
import { SIGN_UP_PASSWORD } from '../support/chaos/sign-ups.js';
import { describeWith } from '../support/describe-with.js';
import { metricsAt, type MetricsReader } from '../support/metrics.js';
import { freePort } from '../support/ports.js';
import { startBreakableRedis, type BreakableRedis } from '../support/redis.js';

const TRACE = 'trace-of-a-fault-0001';

describeWith('mariadb', 'who watches a process [fast]', () => {
  describeWith('redis', 'that loses what it lives on', () => {
    let mariadb: BreakableMariaDb;
    let redis: BreakableRedis;
    let crew: Crew;
    let metrics: MetricsReader;
    beforeAll(async () => {
      [mariadb, redis] = await Promise.all([startBreakableMariaDb(), startBreakableRedis()]);
      const port = await freePort();
      const config = { redis: { url: redis.url }, metrics: { port } };
      crew = await startCrew({ databaseUrl: mariadb.url, replicas: 1, config });
      metrics = metricsAt(port);
    }, 90_000);
    afterAll(async () => {
      await crew.stop();
      await Promise.all([mariadb.stop(), redis.stop()]);
    });

    it('R39: sees each fault in a counter or gauge, and the request in the log', async () => {
      const [client] = crew.clients;
      const { email, token } = await crew.signUp();

      // A refresh token that was used two exchanges ago.
      const login = await client.post('/api/v1/auth/login', { email, password: SIGN_UP_PASSWORD });
      const first = (login.json.data as { refresh_token: string }).refresh_token;
      let current = first;
      for (let exchange = 0; exchange < 2; exchange += 1) {
        const answer = await client.post('/api/v1/auth/refresh', { refresh_token: current });
        current = (answer.json.data as { refresh_token: string }).refresh_token;
      }
      expect((await client.post('/api/v1/auth/refresh', { refresh_token: first })).status).toBe(401);
      const reuses = await metrics.read('portal_refresh_token_reuse_total');

      await redis.kill();
      await client.post('/api/v1/auth/login', { email, password: 'wrong' });
      const fallbacks = await metrics.read('portal_limit_fallbacks_total');
      await redis.revive();

      mariadb.freeze();
      const headers = { 'x-request-id': TRACE };
      const waiting = Array.from({ length: 30 }, () => client.get('/api/v1/me', { token, headers }));
      let wanted = 0;
      while (wanted === 0) wanted = await metrics.read('portal_database_connections_wanted');
      const answers = await Promise.all(waiting);
      mariadb.thaw();

      expect([reuses, fallbacks > 0, wanted > 0]).toEqual([1, true, true]);
      for (const answer of answers) {
        expect([answer.status, answer.headers.get('x-request-id')]).toEqual([503, TRACE]);
      }
      expect(crew.replicas[0]?.output()).toMatch(new RegExp(`"request_id":"${TRACE}"`));
      for (const path of ['/metrics', '/api/v1/metrics', '/portal/metrics'])
        expect((await client.get(path)).status).toBe(404);
      finding(
        'R39',
        'a used refresh token, Redis killed, MariaDB frozen',
        `refresh_token_reuse_total ${reuses}, limit_fallbacks_total ${fallbacks}, database_connections_wanted ${wanted}; ` +
          'X-Request-Id in answer and log; /metrics 404 at the public port',
      );
    }, 30_000);
  });
});
