import { randomBytes } from 'node:crypto';
import { AudienceCreatedEvent } from '../../../src/domain/catalog/index.js';
import { silentLogger } from '../../../src/core/index.js';
import { createPortal } from '../../../src/portal.js';
import { createUser } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
let other: TestPortal;
beforeAll(async () => {
  test = await startTestPortal();
  freshSeal = await sealOf();
  other = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock });
});
afterAll(async () => {
  await other.stop();
  await test.stop();
});

const sql = (statement: string, values: readonly (string | number | null)[] = []) =>
  test.portal.database.execute(statement, values);
const verify = (anchor?: string) => test.portal.services.activities.verifier.verify({ anchor });
const rows = () =>
  test.portal.database.select<{ id: number; action: string; hash: string }>(
    'SELECT id, action, hash FROM portal_activities ORDER BY id',
  );

let number = 0;
function announcement(): AudienceCreatedEvent {
  number += 1;
  const now = test.clock.now();
  const audience = { id: number, name: `audience ${number}`, description: '', createdAt: now, updatedAt: now };
  return new AudienceCreatedEvent({ audience, occurredAt: now });
}
const announce = (portal = test.portal) =>
  portal.database.transaction((transaction) => portal.events.emit(announcement(), transaction));

async function withoutTriggers(run: () => Promise<unknown>): Promise<void> {
  await sql('DROP TRIGGER portal_activities_no_update');
  await sql('DROP TRIGGER portal_activities_no_delete');
  await run();
  await test.portal.services.activities.guard.establish();
}

/** Of a log that nothing was written to. */
let freshSeal: string;
const sealOf = async () =>
  (await test.portal.database.select<{ seal: string }>('SELECT seal FROM portal_activity_chain'))[0]?.seal ?? '';
function resetHead(seal: string) {
  const start = '0'.repeat(64);
  const values = [start, start, seal];
  return sql(
    'UPDATE portal_activity_chain SET last_id = 0, last_hash = ?, pruned_id = 0, pruned_hash = ?, seal = ?',
    values,
  );
}

/** Everything gone, as in a new portal. */
async function startOver(): Promise<void> {
  await withoutTriggers(() => sql('DELETE FROM portal_activities'));
  await resetHead(freshSeal);
}

describe('two replicas that write 500 activities each at once', () => {
  it('make one chain without a fork or a gap', async () => {
    const portals = [test.portal, other.portal];
    const work = portals.map(async (portal) => {
      // Ten at a time from each, as the pool has it.
      const lane = async () => {
        for (let count = 0; count < 50; count += 1) await announce(portal);
      };
      await Promise.all(Array.from({ length: 10 }, lane));
    });
    await Promise.all(work);
    const report = await verify();
    expect(report).toMatchObject({ rows: 1000, firstId: 1, lastId: 1000, fault: null });
  });
});

describe('a transaction', () => {
  beforeEach(startOver);

  it('leaves no activity when it is rolled back, and the chain goes on', async () => {
    const { database, events } = test.portal;
    const failing = database.transaction(async (transaction) => {
      await events.emit(announcement(), transaction);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await announce();
    expect(await verify()).toMatchObject({ rows: 1, lastId: 1, fault: null });
  });

  it('is rolled back when its activity cannot be written', async () => {
    await sql('UPDATE portal_activity_chain SET id = 2');
    try {
      await expect(createThroughService()).rejects.toThrow('portal_activity_chain');
    } finally {
      await sql('UPDATE portal_activity_chain SET id = 1');
    }
    expect(await test.portal.database.select("SELECT id FROM portal_audiences WHERE name = 'unwritten'")).toEqual([]);
  });

  const createThroughService = () => test.portal.services.catalog.audiences.create({ name: 'unwritten' });
});

describe('the database', () => {
  beforeEach(startOver);

  it('refuses to change and to remove an activity', async () => {
    await announce();
    await expect(sql("UPDATE portal_activities SET action = 'x'")).rejects.toThrow();
    await expect(sql('DELETE FROM portal_activities WHERE id = 1')).rejects.toThrow();
    expect(await rows()).toHaveLength(1);
    expect(await test.portal.services.activities.guard.isInPlace()).toBe(true);
  });
});

describe('somebody with the right to change the database', () => {
  beforeEach(async () => {
    await startOver();
    for (let count = 0; count < 10; count += 1) await announce();
    expect(await verify()).toMatchObject({ rows: 10, fault: null });
  });

  const tampering: [string, string[], object][] = [
    ['edits a row', ["UPDATE portal_activities SET action = 'audience.deleted' WHERE id = 4"], { id: 4 }],
    ['edits a time', ["UPDATE portal_activities SET created_at = '2020-01-01 00:00:00.000' WHERE id = 4"], { id: 4 }],
    ['deletes a row', ['DELETE FROM portal_activities WHERE id = 5'], { id: 5, reason: 'it is missing' }],
    [
      'deletes a row and closes the gap',
      [
        'DELETE FROM portal_activities WHERE id = 5',
        'UPDATE portal_activities SET id = 5 WHERE id = 6',
        'UPDATE portal_activities SET id = 6 WHERE id = 7',
        'UPDATE portal_activities SET id = 7 WHERE id = 8',
        'UPDATE portal_activities SET id = 8 WHERE id = 9',
        'UPDATE portal_activities SET id = 9 WHERE id = 10',
        'UPDATE portal_activity_chain SET last_id = 9',
      ],
      { id: 5 },
    ],
    [
      'inserts a row at the end',
      [
        `INSERT INTO portal_activities (id, action, actor_type, created_at, previous_hash, hash)
         SELECT 11, 'user.login', 'developer', created_at, hash, previous_hash FROM portal_activities WHERE id = 10`,
      ],
      { id: 11, reason: 'it was added past the end of the chain' },
    ],
    [
      'swaps two rows',
      [
        'UPDATE portal_activities SET id = 99 WHERE id = 3',
        'UPDATE portal_activities SET id = 3 WHERE id = 7',
        'UPDATE portal_activities SET id = 7 WHERE id = 99',
      ],
      { id: 3, reason: 'it does not follow the activity before it' },
    ],
    ['cuts off the tail', ['DELETE FROM portal_activities WHERE id > 8'], { id: 9 }],
    [
      'cuts off the tail and moves the end',
      [
        'DELETE FROM portal_activities WHERE id > 8',
        `UPDATE portal_activity_chain SET last_id = 8,
         last_hash = (SELECT hash FROM portal_activities WHERE id = 8)`,
      ],
      { id: null },
    ],
  ];

  it.each(tampering)('who %s is found', async (_what, statements, fault) => {
    await withoutTriggers(async () => {
      for (const statement of statements) await sql(statement);
    });
    expect((await verify()).fault).toMatchObject(fault);
  });

  it('who moved the end is still found after the portal wrote more', async () => {
    await withoutTriggers(() => sql('DELETE FROM portal_activities WHERE id > 8'));
    await sql(`UPDATE portal_activity_chain SET last_id = 8,
      last_hash = (SELECT hash FROM portal_activities WHERE id = 8)`);
    await announce();
    expect((await verify()).fault).toMatchObject({ id: null });
  });

  it('who puts back an old copy is found by an anchor that was noted elsewhere', async () => {
    const [old] = await test.portal.database.select('SELECT last_hash, seal FROM portal_activity_chain');
    await announce();
    const { lastHash } = await verify();
    expect((await verify(lastHash)).fault).toBeNull();
    await withoutTriggers(() => sql('DELETE FROM portal_activities WHERE id > 10'));
    await sql('UPDATE portal_activity_chain SET last_id = 10, last_hash = ?, seal = ?', [
      String(old?.last_hash),
      String(old?.seal),
    ]);
    expect((await verify()).fault).toBeNull();
    expect((await verify(lastHash)).fault).toMatchObject({ reason: expect.stringContaining('anchor') });
  });
});

describe('what is personal', () => {
  beforeEach(startOver);

  const personal = () => test.portal.database.select('SELECT * FROM portal_activity_people ORDER BY activity_id');

  it('is erased with its developer, also from the rows of the deletion itself, and the chain stays whole', async () => {
    const { accounts, apps } = test.portal.services;
    const user = await createUser(test, { email: 'gone@example.com', firstName: 'Gone', lastName: 'Person' });
    const kept = await createUser(test, { email: 'kept@example.com' });
    await test.client.post('/api/v1/auth/login', { email: user.email, password: 'wrong' });
    await test.client.post('/api/v1/auth/login', { email: kept.email, password: 'wrong' });
    await accounts.users.updateProfile(user.id, { firstName: 'Gonny' });
    await apps.apps.create(user, { name: 'app', products: [] }, { type: 'developer', id: user.id });
    expect(JSON.stringify(await personal())).toMatch(/gone@example\.com.*Gonny/);
    await accounts.users.delete(user.id);
    const left = JSON.stringify(await personal());
    expect(left).not.toMatch(/gone|Gonny|Person/i);
    expect(left).toContain('kept@example.com');
    expect(JSON.stringify(await test.portal.database.select('SELECT * FROM portal_activities'))).not.toMatch(
      /gone|Gonny/i,
    );
    const actions = (await rows()).map(({ action }) => action);
    expect(actions).toEqual([
      'user.login_failed',
      'user.login_failed',
      'user.updated',
      'app.created',
      'app.deleted',
      'user.deleted',
    ]);
    expect(await verify()).toMatchObject({ rows: 6, erased: 2, fault: null });
  });

  it('cannot be changed, nor erased without a deletion', async () => {
    const user = await createUser(test, { email: 'here@example.com' });
    await announce();
    await test.client.post('/api/v1/auth/login', { email: user.email, password: 'wrong' });
    await test.portal.services.accounts.users.updateProfile(user.id, { firstName: 'Here' });
    const [before] = await test.portal.database.select<{ ip: string }>(
      'SELECT ip FROM portal_activity_people WHERE activity_id = 2',
    );
    expect(before?.ip).toContain('127.0.0.1');
    await sql("UPDATE portal_activity_people SET ip = '192.0.2.1' WHERE activity_id = 2");
    expect((await verify()).fault).toMatchObject({ id: 2, reason: expect.stringContaining('personal') });
    await sql('UPDATE portal_activity_people SET ip = ? WHERE activity_id = 2', [before?.ip ?? null]);
    expect((await verify()).fault).toBeNull();
    await sql(`UPDATE portal_activity_people SET subject_label = NULL, subject_changes = NULL, subject_salt = NULL
      WHERE activity_id = 3`);
    expect((await verify()).fault).toMatchObject({ id: 3, reason: expect.stringContaining('nobody was deleted') });
  });

  it('of an address without an account is kept in outline only', async () => {
    await test.client.post('/api/v1/auth/login', { email: 'Nobody@Example.com', password: 'wrong' });
    const request = { requestId: 'r', ip: '192.0.2.7', userAgent: 'test' };
    const typed = { email: 'my password, mistyped', password: 'wrong' };
    await test.portal.services.auth.flow.authenticate(typed, 'consumer', request);
    const [first, second] = await personal();
    expect(first).toMatchObject({ actor_email: 'n•••@example.com', subject_label: 'n•••@example.com' });
    expect(second).toMatchObject({ actor_email: null, subject_label: null, ip: '192.0.2.7' });
  });
});

describe('pruning', () => {
  beforeEach(async () => {
    await startOver();
    for (let count = 0; count < 6; count += 1) {
      await announce();
      test.clock.advance(86_400);
    }
  });

  it('removes what is older, leaves a checkpoint, says so in the log, and the rest verifies', async () => {
    const [, , third] = await rows();
    const before = new Date(test.clock.now().getTime() - 3 * 86_400_000);
    const report = await test.portal.services.activities.pruner.prune(before);
    expect(report).toEqual({ removed: 3, prunedId: 3, prunedHash: third?.hash });
    expect((await rows()).map(({ id, action }) => `${id} ${action}`)).toEqual([
      '4 audience.created',
      '5 audience.created',
      '6 audience.created',
      '7 activities.pruned',
    ]);
    expect(await verify()).toMatchObject({ rows: 4, firstId: 4, prunedId: 3, fault: null });
    await expect(sql('DELETE FROM portal_activities')).rejects.toThrow();
    expect(await test.portal.services.activities.pruner.prune(before)).toMatchObject({ removed: 0 });
  });

  it('can remove everything, and the log goes on', async () => {
    await test.portal.services.activities.pruner.prune(test.clock.now());
    await announce();
    expect((await rows()).map(({ id }) => id)).toEqual([7, 8]);
    expect((await verify()).fault).toBeNull();
  });

  it('refuses to remove the traces of tampering, unless it is forced to', async () => {
    const { pruner } = test.portal.services.activities;
    await withoutTriggers(() => sql("UPDATE portal_activities SET action = 'x.y' WHERE id = 2"));
    await sql('UPDATE portal_activity_chain SET last_id = 5');
    await expect(pruner.prune(test.clock.now())).rejects.toThrow('activity 2');
    expect(await rows()).toHaveLength(6);
    await pruner.prune(new Date(test.clock.now().getTime() - 3 * 86_400_000), { force: true });
    expect(await verify()).toMatchObject({ rows: 4, fault: null });
  });
});

describe('a new app.key', () => {
  it('goes on with the chain and verifies what the earlier one signed', async () => {
    await startOver();
    await announce();
    const { config } = test.portal;
    const key = `base64:${randomBytes(32).toString('base64')}`;
    const open = (previousKeys: string[]) =>
      createPortal({
        config: { ...config, app: { ...config.app, key, previousKeys } },
        clock: test.clock,
        logger: silentLogger,
      });
    const renewed = open([config.app.key]);
    const forgetful = open([]);
    try {
      await announce(renewed);
      expect((await renewed.services.activities.verifier.verify()).fault).toBeNull();
      expect((await forgetful.services.activities.verifier.verify()).fault).toMatchObject({ id: 1 });
    } finally {
      await Promise.all([renewed.close(), forgetful.close()]);
    }
  });
});

describe('a log that was wiped', () => {
  const wiped = { fault: { id: null, reason: expect.stringContaining('wiped') } };
  beforeEach(startOver);

  it('is told from a fresh one by its seal', async () => {
    expect(freshSeal).toMatch(/^[0-9a-f]{64}$/);
    expect(await verify()).toMatchObject({ rows: 0, fault: null });
    await announce();
    await withoutTriggers(() => sql('DELETE FROM portal_activities'));
    await resetHead('');
    expect(await verify()).toMatchObject({ rows: 0, ...wiped });
    // Nor does it become right by being written to, or migrated, again.
    await announce();
    expect((await verify()).fault).toMatchObject({ id: null });
    await withoutTriggers(() => sql('DELETE FROM portal_activities'));
    await resetHead('');
    await createUser(test);
    await sql("DELETE FROM portal_migrations WHERE name LIKE '%-seal-activity-chain'");
    await test.portal.migrator.up();
    expect(await verify()).toMatchObject({ rows: 0, ...wiped });
    await sql('DELETE FROM portal_users');
  });

  it('is found also when the row of its end is gone', async () => {
    await sql('DELETE FROM portal_activity_chain');
    await expect(verify()).rejects.toThrow('has lost its row');
    const start = '0'.repeat(64);
    await sql(
      'INSERT INTO portal_activity_chain (id, last_id, last_hash, pruned_id, pruned_hash, prune_until, seal) VALUES (1, 0, ?, 0, ?, 0, ?)',
      [start, start, freshSeal],
    );
  });

  it('an upgrade seals a portal that nobody used yet, and leaves a sealed one alone', async () => {
    await announce();
    const sealed = await sealOf();
    await sql("DELETE FROM portal_migrations WHERE name LIKE '%-seal-activity-chain'");
    await test.portal.migrator.up();
    expect([await sealOf(), (await verify()).fault]).toEqual([sealed, null]);
    await startOver();
    await resetHead('');
    await sql("DELETE FROM portal_migrations WHERE name LIKE '%-seal-activity-chain'");
    await test.portal.migrator.up();
    expect([await sealOf(), (await verify()).fault]).toEqual([freshSeal, null]);
  });
});
