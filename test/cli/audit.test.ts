import { folderWith, SECRETS } from '../config/support.js';
import { portal } from '../support/portal-command.js';
import { startTestPortal, type TestPortal } from '../support/test-portal.js';

let test: TestPortal;
let root: string;
beforeAll(async () => {
  test = await startTestPortal({ config: { app: { key: SECRETS.APP_KEY } } });
  root = await folderWith({ 'portal.config.ts': "export default { app: { env: 'development' } };" });
  for (const name of ['one', 'two', 'three']) {
    await test.portal.services.catalog.audiences.create({ name });
    test.clock.advance(86_400);
  }
});
afterAll(() => test.stop());

/** On the database of the test. */
const run = (...args: string[]) => portal(args, { cwd: root, env: { ...SECRETS, DATABASE_URL: test.databaseUrl } });

describe('portal audit:verify', () => {
  it('says that the log is as it was written, and how it ends', async () => {
    const { stdout, exitCode } = await run('audit:verify', '--json');
    const report = JSON.parse(stdout) as { last_hash: string };
    expect([exitCode, report]).toEqual([
      0,
      {
        ...{ ok: true, activities: 3, erased: 0, first_id: 1, last_id: 3, pruned_id: 0, signed: true, fault: null },
        last_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect((await run('audit:verify', '--anchor', report.last_hash)).stdout).toContain(
      '✓ 3 activities are as written.',
    );
    expect((await run('audit:verify', '--anchor', 'f'.repeat(64))).exitCode).toBe(1);
    // Kept for the console; an anchor that is nowhere may be mistyped.
    expect(await test.portal.services.activities.check.read()).toMatchObject({ verified: { id: 3 }, fault: null });
  });

  it('exits with 1 and names the first activity that is not, and brings the triggers back', async () => {
    const { database } = test.portal;
    await database.execute('DROP TRIGGER portal_activities_no_update');
    expect((await run('doctor')).stdout).toMatch(/! activity-log .*triggers are missing/);
    const [row] = await database.select<{ action: string }>('SELECT action FROM portal_activities WHERE id = 2');
    await database.execute("UPDATE portal_activities SET action = 'x.y' WHERE id = 2");
    const { stdout, stderr, exitCode } = await run('audit:verify');
    expect([exitCode, stdout + stderr]).toEqual([1, expect.stringContaining('Activity 2: it was changed')]);
    expect(await test.portal.services.activities.check.read()).toMatchObject({ fault: { id: 2 } });
    const report = JSON.parse((await run('audit:verify', '--json')).stdout) as object;
    expect(report).toMatchObject({ ok: false, fault: { id: 2 } });
    const pruned = await run('audit:prune', '--keep-days', '1');
    expect([pruned.exitCode, pruned.stderr]).toEqual([1, expect.stringContaining('activity 2')]);
    await database.execute('UPDATE portal_activities SET action = ? WHERE id = 2', [row?.action ?? '']);
    expect((await run('audit:verify', '--protect')).exitCode).toBe(0);
    expect((await run('doctor')).stdout).toMatch(/✓ activity-log +append-only/);
    await expect(database.execute("UPDATE portal_activities SET action = 'x.y'")).rejects.toThrow();
  });
});

describe('portal audit:prune', () => {
  it.each([
    [[], /--before or --keep-days/],
    [['--before', '2026-01-01', '--keep-days', '3'], /--before or --keep-days/],
    [['--before', 'yesterday'], /--before yesterday is not a date/],
    [['--keep-days', '0'], /keep nothing/],
  ])('refuses %j', async (args, message) => {
    const { exitCode, stderr } = await run('audit:prune', ...args);
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
  });

  it('removes what is older, tells the checkpoint, and writes down that the operator did', async () => {
    const { stdout, exitCode } = await run('audit:prune', '--before', '2026-06-02', '--json');
    expect([exitCode, JSON.parse(stdout)]).toEqual([
      0,
      { removed: 1, pruned_id: 1, pruned_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ]);
    const rows = await test.portal.database.select(
      'SELECT id, action, actor_type FROM portal_activities ORDER BY id DESC',
    );
    expect(rows[0]).toEqual({ id: 4, action: 'activities.pruned', actor_type: 'operator' });
    expect((await run('audit:verify')).stdout).toMatch(/Pruned up to 1\.[\s\S]*✓ 3 activities are as written/);
  });
});
