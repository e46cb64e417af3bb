import { AdminRolesChangedEvent } from '../../../src/domain/rbac/index.js';
import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '../../../src/core/index.js';
import { createAdmin, createRole } from '../../support/factories.js';
import { startTestPortal, type TestPortal } from '../../support/test-portal.js';

let test: TestPortal;
beforeAll(async () => {
  test = await startTestPortal();
});
afterAll(() => test.stop());

const rbac = () => test.portal.services.rbac;

async function permissionsOf(role: string): Promise<string[]> {
  const rows = await test.portal.database.select<{ name: string }>(
    `SELECT p.name AS name FROM portal_role_permissions rp JOIN portal_roles r ON r.id = rp.role_id
      JOIN portal_permissions p ON p.id = rp.permission_id WHERE r.name = ? ORDER BY p.name`,
    [role],
  );
  return rows.map(({ name }) => name);
}

async function rolesOf(adminId: number): Promise<string[]> {
  rbac().refresh();
  return (await rbac().grantsOf(adminId)).roles.map(({ name }) => name);
}

describe('the seed of roles and permissions', () => {
  it('survives being run by two processes at once', async () => {
    const reports = await Promise.all([rbac().seed(), rbac().seed()]);
    expect(reports.map(({ roles }) => roles.length).sort()).toEqual([0, 5]);
    expect(reports.map(({ permissions }) => permissions.length).sort((a, b) => a - b)).toEqual([0, 74]);
  });

  it('adds nothing when nothing is missing', async () => {
    expect(await rbac().seed()).toEqual({ permissions: [], roles: [], grants: [] });
  });

  it('leaves what an operator changed, and gives a new permission to the roles it ships with', async () => {
    const { database } = test.portal;
    await database.execute("UPDATE portal_roles SET label = 'Helpers' WHERE name = 'support'");
    await database.execute(
      `DELETE FROM portal_role_permissions WHERE role_id = (SELECT id FROM portal_roles WHERE name = 'support')
        AND permission_id = (SELECT id FROM portal_permissions WHERE name = 'portal.users.view')`,
    );
    await database.execute("DELETE FROM portal_permissions WHERE name = 'portal.apps.delete'");
    const report = await rbac().seed();
    expect(report.permissions).toEqual(['portal.apps.delete']);
    expect(report.grants.map(({ role }) => role)).toEqual(['super_admin', 'admin', 'support']);
    expect(await permissionsOf('support')).not.toContain('portal.users.view');
    expect(await permissionsOf('support')).toContain('portal.apps.delete');
    const [role] = await database.select("SELECT label FROM portal_roles WHERE name = 'support'");
    expect(role).toEqual({ label: 'Helpers' });
    await database.execute(
      `INSERT INTO portal_role_permissions (role_id, permission_id) SELECT r.id, p.id FROM portal_roles r, portal_permissions p
        WHERE r.name = 'support' AND p.name = 'portal.users.view'`,
    );
  });

  it('gives each role what its name promises', async () => {
    const admin = await permissionsOf('admin');
    expect(admin).toContain('portal.settings.update');
    expect(admin.filter((name) => /\.(admins|roles|permissions|rbac)\./.test(name))).toEqual([]);
    const catalog = await permissionsOf('catalog_manager');
    expect(new Set(catalog.map((name) => name.split('.')[1]))).toEqual(
      new Set(['admin', 'products', 'plans', 'categories', 'audiences', 'menus', 'guides', 'banners', 'searches']),
    );
    const support = await permissionsOf('support');
    expect(support).toEqual(expect.arrayContaining(['portal.users.update', 'portal.apps.update']));
    expect(support).not.toContain('portal.users.delete');
    const auditor = await permissionsOf('auditor');
    expect(auditor.filter((name) => !name.endsWith('.view'))).toEqual(['portal.admin.access', 'portal.usage.read']);
    expect(auditor).toContain('portal.activities.view');
    expect(await permissionsOf('super_admin')).toHaveLength(74);
  });
});

describe('what an admin may do', () => {
  it('is the sum of their roles, each permission once, in alphabetical order', async () => {
    const one = await createRole(test, ['portal.users.view', 'portal.apps.view']);
    const two = await createRole(test, ['portal.apps.view', 'portal.admin.access']);
    const admin = await createAdmin(test, { roles: [one, two] });
    expect(await rbac().findEffectivePermissions(admin.id)).toEqual([
      'portal.admin.access',
      'portal.apps.view',
      'portal.users.view',
    ]);
  });

  it('is everything with a bypass role and nothing without a role', async () => {
    const superAdmin = await createAdmin(test, { roles: ['super_admin'] });
    expect(await rbac().findEffectivePermissions(superAdmin.id)).toHaveLength(74);
    const nobody = await createAdmin(test);
    expect(await rbac().findEffectivePermissions(nobody.id)).toEqual([]);
  });

  it('follows a change within a second on every replica, and at once on the one that made it (S61)', async () => {
    const replica = await startTestPortal({ databaseUrl: test.databaseUrl, clock: test.clock });
    const admin = await createAdmin(test, { roles: ['support'] });
    const views = () =>
      Promise.all(
        [test, replica].map(async ({ portal }) => (await portal.services.rbac.grantsOf(admin.id)).permissions.size > 0),
      );
    expect(await views()).toEqual([true, true]);
    await rbac().assignRoles({ adminId: admin.id, roles: [], by: 'operator' });
    expect((await views())[0]).toBe(false);
    test.clock.advance(0.8);
    expect(await views()).toEqual([false, false]);
    await replica.stop();
  });

  it('is read again when the clock goes backwards', async () => {
    const admin = await createAdmin(test, { roles: ['support'] });
    expect((await rbac().grantsOf(admin.id)).permissions.size).toBeGreaterThan(0);
    await test.portal.database.execute('DELETE FROM portal_admin_roles WHERE admin_id = ?', [admin.id]);
    test.clock.advance(-3600);
    expect((await rbac().grantsOf(admin.id)).permissions.size).toBe(0);
  });

  it('is asked for once by requests that come together', async () => {
    const admin = await createAdmin(test, { roles: ['support'] });
    const [first, second] = await Promise.all([rbac().grantsOf(admin.id), rbac().grantsOf(admin.id)]);
    expect(first).toBe(second);
  });
});

describe('giving roles (S59)', () => {
  let manager: string;
  beforeAll(async () => {
    manager = await createRole(test, ['portal.admin.access', 'portal.admins.manage', 'portal.users.view']);
  });

  it('tells what changed, by name', async () => {
    const admin = await createAdmin(test, { roles: ['support'] });
    const seen: unknown[] = [];
    test.portal.events.on(AdminRolesChangedEvent, ({ adminId, before, after }) => {
      if (adminId === admin.id) seen.push([before, after]);
    });
    await rbac().assignRoles({ adminId: admin.id, roles: ['support', 'auditor'], by: 'operator' });
    await rbac().assignRoles({ adminId: admin.id, roles: ['auditor', 'support', 'auditor'], by: 'operator' });
    expect(seen).toEqual([[['support'], ['auditor', 'support']]]);
  });

  it.each([
    ['a bypass role', 'super_admin'],
    ['a role with more than they hold', 'admin'],
    ['a role with one thing that they lack', 'auditor'],
  ])('does not let an admin give %s', async (_case, role) => {
    const [asking, target] = [await createAdmin(test, { roles: [manager] }), await createAdmin(test)];
    const attempt = rbac().assignRoles({ adminId: target.id, roles: [role], by: asking });
    await expect(attempt).rejects.toBeInstanceOf(ForbiddenError);
    expect(await rolesOf(target.id)).toEqual([]);
  });

  it.each(['super_admin', 'admin'])('does not let an admin take the role %s from somebody', async (role) => {
    const [asking, target] = [
      await createAdmin(test, { roles: [manager] }),
      await createAdmin(test, { roles: [role] }),
    ];
    const attempt = rbac().assignRoles({ adminId: target.id, roles: [], by: asking });
    await expect(attempt).rejects.toBeInstanceOf(ForbiddenError);
    expect(await rolesOf(target.id)).toEqual([role]);
  });

  it('lets an admin give what they hold, and leave alone what the other has', async () => {
    const small = await createRole(test, ['portal.users.view']);
    const other = await createRole(test, ['portal.admin.access']);
    const [asking, target] = [
      await createAdmin(test, { roles: [manager] }),
      await createAdmin(test, { roles: [other] }),
    ];
    await rbac().assignRoles({ adminId: target.id, roles: [other, small], by: asking });
    expect(await rolesOf(target.id)).toEqual([small, other].sort());
  });

  it('does not let an admin give anything to somebody who holds more', async () => {
    const small = await createRole(test, ['portal.users.view']);
    const [asking, target] = [
      await createAdmin(test, { roles: [manager] }),
      await createAdmin(test, { roles: ['admin'] }),
    ];
    const attempt = rbac().assignRoles({ adminId: target.id, roles: ['admin', small], by: asking });
    await expect(attempt).rejects.toBeInstanceOf(ForbiddenError);
    expect(await rolesOf(target.id)).toEqual(['admin']);
  });

  it('does not let anybody change their own roles', async () => {
    const admin = await createAdmin(test, { roles: ['super_admin'] });
    const attempt = rbac().assignRoles({ adminId: admin.id, roles: ['super_admin', 'support'], by: admin });
    await expect(attempt).rejects.toBeInstanceOf(ForbiddenError);
  });

  it('names the roles that are unknown, and finds nobody who is missing', async () => {
    const admin = await createAdmin(test);
    const unknown = rbac().assignRoles({ adminId: admin.id, roles: ['root', 99_999], by: 'operator' });
    await expect(unknown).rejects.toBeInstanceOf(ValidationError);
    await expect(unknown).rejects.toMatchObject({
      errors: {
        roles: ['There is no role root.', 'There is no role 99999.'],
      },
    });
    const missing = rbac().assignRoles({ adminId: 987_664, roles: [], by: 'operator' });
    await expect(missing).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe('the last active bypass admin (S60)', () => {
  beforeEach(async () => {
    await test.portal.database.execute(
      "DELETE FROM portal_admin_roles WHERE role_id = (SELECT id FROM portal_roles WHERE name = 'super_admin')",
    );
  });

  it('keeps the role, whoever takes it, and whoever else is inactive', async () => {
    const last = await createAdmin(test, { roles: ['super_admin'] });
    await createAdmin(test, { roles: ['super_admin'], status: 'inactive' });
    const attempt = rbac().assignRoles({ adminId: last.id, roles: ['admin'], by: 'operator' });
    await expect(attempt).rejects.toBeInstanceOf(ConflictError);
    expect(await rolesOf(last.id)).toEqual(['super_admin']);
  });

  it('is there also after two have demoted each other at the same time', async () => {
    const [one, two] = [await createAdmin(test, { roles: ['super_admin'] }), await createAdmin(test)];
    for (let round = 0; round < 10; round += 1) {
      await rbac().assignRoles({ adminId: two.id, roles: ['super_admin'], by: 'operator' });
      await rbac().assignRoles({ adminId: one.id, roles: ['super_admin'], by: 'operator' });
      const outcomes = await Promise.allSettled([
        rbac().assignRoles({ adminId: one.id, roles: [], by: two }),
        rbac().assignRoles({ adminId: two.id, roles: [], by: one }),
      ]);
      const holders = [...(await rolesOf(one.id)), ...(await rolesOf(two.id))];
      expect(holders).toEqual(['super_admin']);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });
});
