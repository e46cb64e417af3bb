import { join } from 'node:path';
import { openDatabase } from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { folderWith } from '../config/support.js';
import { finding } from '../support/chaos/finding.js';
import { registration, SIGN_UP_PASSWORD } from '../support/chaos/sign-ups.js';
import { insertProduct } from '../support/insert-product.js';
import { testConfig } from '../support/database-config.js';
import { TestClient, type Answer } from '../support/http-client.js';
import { servePortal, type ServingPortal } from '../support/portal-process.js';
import { createProject, type Project } from '../support/project.js';
import { buildRelease, releaseTags } from '../support/releases.js';
import { dialectUnderTest } from '../support/test-database.js';

const API = '/api/v1';
const [tag] = await releaseTags();
if (tag === undefined) process.stdout.write('skipped: the release before on the new schema: this clone has no tag\n');

// A rolling upgrade migrates first: for its time, replicas of both releases work on the new schema.
(tag === undefined ? describe.skip : describe)(`R23: ${tag ?? 'the release before'} on the schema of today`, () => {
  let project: Project;
  let before: ServingPortal;
  let today: ServingPortal;
  beforeAll(async () => {
    project = await createProject(dialectUnderTest(), { app: { url: 'http://portal.test' } });
    const database = openDatabase(testConfig(project.databaseUrl), { logger: silentLogger });
    await insertProduct(database, 'payments');
    await database.close();
    const release = await buildRelease(tag ?? '', await folderWith({}));
    before = await servePortal([], { ...project, bin: join(release, 'bin', 'portal.js') });
    await before.printed('Ready');
    today = await project.serve();
  }, 120_000);
  afterAll(async () => {
    await Promise.all([before?.stop(), today?.stop()]);
    await project.remove();
  });

  it('serves beside the new one: what one of them writes, the other one reads, changes and ends', async () => {
    const counts: Record<number, number> = {};
    const expecting = async (status: number, sent: Promise<Answer>): Promise<Answer> => {
      const answer = await sent;
      counts[answer.status] = (counts[answer.status] ?? 0) + 1;
      expect([answer.status, answer.status === status ? '' : answer.text]).toEqual([status, '']);
      return answer;
    };
    const clients = [TestClient.to(before.url), TestClient.to(today.url)] as const;
    for (const [one, other] of [clients, [clients[1], clients[0]] as const]) {
      const email = `${one === clients[0] ? 'before' : 'today'}@example.com`;
      await expecting(201, one.post(`${API}/auth/register`, registration(email)));
      const login = await expecting(200, other.post(`${API}/auth/login`, { email, password: SIGN_UP_PASSWORD }));
      const { access_token: token, refresh_token } = login.json.data as Record<string, string>;
      if (token === undefined) throw new Error('the login gave no token');
      await expecting(200, one.put(`${API}/me`, { first_name: 'Grace' }, { token }));
      expect((await expecting(200, other.get(`${API}/me`, { token }))).json.data.first_name).toBe('Grace');
      const app = { name: 'shop', products: ['payments'] };
      const made = await expecting(201, one.post(`${API}/me/apps`, app, { token }));
      const [{ id, consumer_key: key }] = made.json.data.credentials as [{ id: number; consumer_key: string }];
      const opens = () => other.get('/gateway/verify', { headers: { 'x-api-key': key } });
      await expecting(200, opens());
      await expecting(201, other.post(`${API}/me/apps/shop/credentials/${id}/rotate`, { overlap: 0 }, { token }));
      await expecting(403, opens());
      await expecting(200, one.get(`${API}/me/apps?per_page=100`, { token }));
      await expecting(200, one.post(`${API}/auth/refresh`, { refresh_token }));
      for (const path of ['/portal', '/portal/products', '/portal/login']) await expecting(200, one.get(path));
      await expecting(200, other.delete(`${API}/me/apps/shop`, { token }));
      await expecting(200, one.delete(`${API}/me`, { token }));
    }
    for (const { output } of [before, today]) expect(output()).not.toMatch(/"level":"(error|fatal)"/);
    finding(
      'R23',
      `${tag} beside the build of today on the migrated schema (${dialectUnderTest() === 'mysql' ? 'MariaDB' : 'SQLite'})`,
      `sign-ups, sign-ins, apps and keys across both: ${JSON.stringify(counts)}`,
    );
  }, 60_000);
});
