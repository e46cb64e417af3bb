import { definePage, field, listField, Redirect, View, type FormState, type Page } from '../../theme/index.js';
import { etagOf } from '../../http/index.js';
import { adminCall, readAll, type AdminVisit, type ConsoleContext } from '../console-visit.js';
import { textAt, type ApiRecord } from '../resource.js';

/** Nobody reads a larger table. */
const MOST_ROLES = 30;
const MOST_PERMISSIONS = 500;

/** Roles beside permissions, as a table of boxes to tick; each role is saved by itself. */
export function rolePages(context: ConsoleContext): Page[] {
  if (!context.registry.has('roles')) return [];
  const needs = ['listRoles', 'listPermissions'];
  return [
    definePage({
      ...{ method: 'get', path: '/roles/matrix', audience: 'admins', needs },
      handle: (visit) => showMatrix(context, visit),
    }),
    definePage({
      ...{ method: 'post', path: '/roles/:id/matrix', audience: 'admins', needs: [...needs, 'setRolePermissions'] },
      handle: (visit) => savePermissions(context, visit),
      retry: (visit, state) => showMatrix(context, visit, state),
    }),
  ];
}

async function savePermissions(context: ConsoleContext, visit: AdminVisit): Promise<Redirect> {
  const { id = '' } = visit.params;
  const body = { permissions: listField(visit.request, 'permissions') };
  const ifMatch = field(visit.request, '_version') || undefined;
  await context.operations.run('setRolePermissions', adminCall(visit, { params: { id }, body, ifMatch }));
  return new Redirect('/roles/matrix', 'saved');
}

async function showMatrix(context: ConsoleContext, visit: AdminVisit, state?: FormState): Promise<View> {
  const [roles, permissions] = await Promise.all([
    readAll(context, visit, 'listRoles', { most: MOST_ROLES, query: { order_by: 'id', direction: 'ASC' } }),
    readAll(context, visit, 'listPermissions', {
      most: MOST_PERMISSIONS,
      query: { order_by: 'name', direction: 'ASC' },
    }),
  ]);
  const mayChange = await context.operations.may('setRolePermissions', visit.actor);
  const typed = state ? new Set(listField(visit.request, 'permissions')) : null;
  const columns = roles.map((role) => {
    const id = textAt(role, 'id');
    const isSent = typed !== null && visit.params.id === id;
    const held = isSent ? typed : new Set(role.permissions as readonly string[]);
    return { id, held, label: textAt(role, 'label') || textAt(role, 'name'), version: etagOf(role), isSent };
  });
  const groups = new Map<string, ApiRecord[]>();
  for (const permission of permissions) {
    const group = groupOf(textAt(permission, 'name'));
    groups.set(group, [...(groups.get(group) ?? []), permission]);
  }
  return new View(
    'console/matrix',
    {
      ...{ mayChange, columns, width: columns.length + 1 },
      groups: [...groups].map(([group, members]) => ({ group, rows: members.map((one) => rowOf(one, columns)) })),
      ...{ errors: state?.errors ?? null, problem: state?.problem ?? null, retryAfter: state?.retryAfter ?? null },
    },
    { title: 'console.matrix.title', status: state?.status ?? 200 },
  );
}

interface Column {
  readonly id: string;
  readonly label: string;
  readonly held: ReadonlySet<string>;
}

function rowOf(permission: ApiRecord, columns: readonly Column[]) {
  const name = textAt(permission, 'name');
  return {
    ...{ name, description: textAt(permission, 'description') },
    boxes: columns.map(({ id, label, held }) => ({ id, label, isHeld: held.has(name) })),
  };
}

/** `portal.users.view` belongs to `users`. */
function groupOf(permission: string): string {
  const parts = permission.split('.');
  return parts.length > 2 ? parts.slice(1, -1).join('.') : (parts[0] ?? permission);
}
