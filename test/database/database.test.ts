import { runInNewContext } from 'node:vm';
import {
  DatabaseError,
  DataTypes,
  ForeignKeyViolationError,
  Model,
  UniqueViolationError,
  type Database,
  type SqlValue,
} from '../../src/database/index.js';
import { createLogger, type PortalError } from '../../src/core/index.js';
import { onDatabaseUnderTest } from '../support/databases.js';

const NOW = new Date('2026-11-21T10:11:12.345Z');
const INSERT_ROLE = 'INSERT INTO portal_roles (name, label, created_at, updated_at) VALUES (?, ?, ?, ?)';

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

onDatabaseUnderTest('a database', (test) => {
  let database: Database;

  beforeAll(async () => {
    database = await test.openMigrated();
  });

  const insertUser = (email: string) =>
    database.execute(
      `INSERT INTO portal_users (email, first_name, last_name, password_hash, status, custom_attributes, created_at, updated_at)
       VALUES (?, ?, ?, 'x', 'active', ?, ?, ?)`,
      [email, 'Zoë 😀', "O'Neil \\ %", '{"team":"😀","n":[1,null]}', NOW, NOW],
    );

  it('takes a date that was made in another context, as hosts that test with Jest have them', async () => {
    const at = runInNewContext('new Date(1234567890123)') as Date;
    await database.execute(INSERT_ROLE, ['foreign', 'Foreign', at, at]);
    const [role] = await database.select('SELECT created_at FROM portal_roles WHERE name = ?', ['foreign'], {
      decode: { created_at: 'date' },
    });
    expect(role?.['created_at']).toEqual(new Date(1_234_567_890_123));
    await database.execute('DELETE FROM portal_roles WHERE name = ?', ['foreign']);
  });

  it('gives back on both paths what was written, emoji and milliseconds included', async () => {
    const { insertId, affectedRows } = await insertUser('read@example.org');
    expect(affectedRows).toBe(1);
    const [row] = await database.select(
      'SELECT id, first_name, last_name, auth_epoch, custom_attributes, created_at, pending_email FROM portal_users WHERE id = ?',
      [insertId],
      { decode: { created_at: 'date', custom_attributes: 'json' } },
    );
    expect({ ...row }).toEqual({
      id: insertId,
      first_name: 'Zoë 😀',
      last_name: "O'Neil \\ %",
      auth_epoch: 0,
      custom_attributes: { team: '😀', n: [1, null] },
      created_at: NOW,
      pending_email: null,
    });
  });

  it('agrees with the models about dates, booleans and JSON', async () => {
    class Setting extends Model {
      declare id: number;
      declare isPublic: boolean;
      declare createdAt: Date;
    }
    Setting.init(
      {
        settingKey: DataTypes.STRING,
        type: DataTypes.STRING,
        label: DataTypes.STRING,
        settingGroup: DataTypes.STRING,
        isPublic: DataTypes.BOOLEAN,
        createdAt: DataTypes.DATE(3),
        updatedAt: DataTypes.DATE(3),
      },
      { sequelize: database.sequelize, tableName: 'portal_settings', underscored: true, timestamps: false },
    );
    const common = { type: 'string', label: 'l', settingGroup: 'g', updatedAt: NOW };
    const created = await Setting.create({ ...common, settingKey: 'a', isPublic: true, createdAt: NOW });
    await database.execute(
      "INSERT INTO portal_settings (setting_key, type, label, setting_group, is_public, created_at, updated_at) VALUES ('b', 'string', 'l', 'g', ?, ?, ?)",
      [true, NOW, NOW],
    );
    const raw = await database.select(
      'SELECT is_public, created_at FROM portal_settings WHERE created_at = ? ORDER BY id',
      [NOW],
      { decode: { is_public: 'boolean', created_at: 'date' } },
    );
    expect(raw.map((row) => ({ ...row }))).toEqual(Array(2).fill({ is_public: true, created_at: NOW }));
    const models = await Setting.findAll({ where: { createdAt: NOW }, order: [['id', 'ASC']] });
    expect(models.map(({ isPublic, createdAt }) => [isPublic, createdAt])).toEqual(Array(2).fill([true, NOW]));
    expect(created.id).toBe(models[0]?.id);
  });

  it('gives integers beyond 2^53 exactly, as text', async () => {
    const [row] = await database.select('SELECT 9007199254740993 AS large, 9007199254740991 AS exact');
    expect({ ...row }).toEqual({ large: '9007199254740993', exact: 9007199254740991 });
  });

  it('counts matched rows as affected, changed or not', async () => {
    await database.execute(INSERT_ROLE, ['same', 'Same', NOW, NOW]);
    const again = await database.execute('UPDATE portal_roles SET label = ? WHERE name = ?', ['Same', 'same']);
    const none = await database.execute('UPDATE portal_roles SET label = ? WHERE name = ?', ['Same', 'absent']);
    expect([again.affectedRows, none.affectedRows]).toEqual([1, 0]);
  });

  it('compares codes exactly and words without case', async () => {
    await database.execute(INSERT_ROLE, ['Exact', 'Words', NOW, NOW]);
    const found = async (where: string, value: string) =>
      (await database.select(`SELECT id FROM portal_roles WHERE ${where}`, [value])).length;
    expect(await found('name = ?', 'exact')).toBe(0);
    expect(await found('label = ?', 'wORDS')).toBe(1);
  });

  it('never takes a text for the one before its NUL', async () => {
    await insertUser('cut@example.org');
    const { insertId } = await insertUser('cut@example.org\0tail');
    const named = (email: string) => database.select('SELECT id FROM portal_users WHERE email = ?', [email]);
    expect(await named('cut@example.org')).toHaveLength(1);
    expect(await named('cut@example.org\0other')).toEqual([]);
    expect(await named('cut@example.org\0tail')).toEqual([{ id: insertId }]);
  });

  it('refuses values that a driver would turn into SQL', async () => {
    const injected = { id: 1 } as unknown as SqlValue;
    await expect(database.select('SELECT ? AS a', [injected])).rejects.toThrow(TypeError);
    await expect(database.execute('DELETE FROM portal_roles WHERE name = ?', [[1] as never])).rejects.toThrow(
      TypeError,
    );
    await expect(database.select('SELECT ? AS a', [undefined as never])).rejects.toThrow(TypeError);
  });

  describe('its errors', () => {
    it('name table, columns and constraint of a taken unique key, from both paths', async () => {
      await insertUser('taken@example.org');
      const expected = { table: 'portal_users', columns: ['email'], constraint: 'portal_users__email', status: 409 };
      const raw = await failure(insertUser('taken@example.org'));
      expect(raw).toBeInstanceOf(UniqueViolationError);
      expect(raw).toMatchObject(expected);
      class Role extends Model {}
      Role.init(
        { name: DataTypes.STRING, label: DataTypes.STRING },
        { sequelize: database.sequelize, tableName: 'portal_roles', underscored: true },
      );
      await Role.create({ name: 'taken', label: 'x' });
      const model = await failure(Role.create({ name: 'taken', label: 'x' }));
      expect(model).toBeInstanceOf(UniqueViolationError);
      expect(model).toMatchObject({ columns: ['name'], constraint: 'portal_roles__name' });
    });

    it('name every column of a composite key', async () => {
      const { insertId } = await insertUser('composite@example.org');
      const insertApp = () =>
        database.execute(
          `INSERT INTO portal_apps (user_id, name, name_key, display_name, description, status, sync_state, created_at, updated_at)
           VALUES (?, 'A', 'a', 'A', '', 'approved', 'synced', ?, ?)`,
          [insertId, NOW, NOW],
        );
      await insertApp();
      expect(await failure(insertApp())).toMatchObject({ columns: ['user_id', 'name_key'], table: 'portal_apps' });
      const referenced = await failure(database.execute('DELETE FROM portal_users WHERE id = ?', [insertId]));
      expect(referenced).toBeInstanceOf(ForeignKeyViolationError);
    });

    it('tell a row that points at nothing', async () => {
      const error = await failure(
        database.execute('INSERT INTO portal_role_permissions (role_id, permission_id) VALUES (?, ?)', [98765, 1]),
      );
      expect(error).toBeInstanceOf(ForeignKeyViolationError);
    });

    it('do not take a missing value for a taken one', async () => {
      const sql = 'INSERT INTO portal_roles (name, created_at, updated_at) VALUES (?, ?, ?)';
      expect(await failure(database.execute(sql, ['no label', NOW, NOW]))).toBeInstanceOf(DatabaseError);
      expect(await failure(database.sequelize.query(`INSERT INTO portal_roles (label) VALUES ('x')`))).toBeInstanceOf(
        DatabaseError,
      );
    });

    it('repeat no value of a statement in their own words, in a log (S69)', async () => {
      const canary = 'canary-of-a-value';
      const faults = await Promise.all([
        failure(database.execute("UPDATE portal_users SET auth_epoch = 'canary-of-a-value' WHERE id > 0")),
        failure(database.execute('UPDATE portal_users SET created_at = ? WHERE id > 0', [canary])),
        failure(database.execute(`INSERT INTO portal_users (email) VALUES ('${canary}')`)),
        failure(database.execute(INSERT_ROLE, [canary.repeat(50), canary, NOW, NOW])),
        failure(database.select(`SELECT ${canary} FROM portal_users`)),
        failure(database.select(`SELECT '${canary}' FROM portal_users WHERE (`)),
      ]);
      let log = '';
      const logger = createLogger('debug', { write: (line: string) => void (log += line) });
      for (const err of faults) logger.error({ err }, 'a fault');
      expect(faults.filter((fault) => fault !== undefined).length).toBeGreaterThan(2);
      expect(log).not.toContain(canary);
    });

    it('show nothing of a statement to clients, and are 500', async () => {
      const error = (await failure(database.select("SELECT 'secret value' FROM absent"))) as PortalError;
      expect(error).toBeInstanceOf(DatabaseError);
      expect([error.status, error.message]).toEqual([500, 'Internal server error.']);
    });
  });
});
