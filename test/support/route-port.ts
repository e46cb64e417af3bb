import { ForbiddenError, runAs } from '../../src/core/index.js';
import { toActingPerson, type AdminActor } from '../../src/domain/auth/index.js';
import type { BulkCaller, FindBulkAction, OperationPort } from '../../src/domain/console/index.js';
import { Reply, type Route } from '../../src/http/index.js';
import { PageReply } from '../../src/http/answer/reply.js';
import { parseListQuery } from '../../src/http/request/list-query.js';
import { bodyValidator } from '../../src/http/request/validation.js';
import { createAdmin, createRole } from './factories.js';
import type { TestPortal } from './test-portal.js';

type RunOf = OperationPort['run'];

/** What happens around each call of an operation. */
export interface PortWatch {
  before?(operation: string, call: Parameters<RunOf>[1]): Promise<void> | void;
  after?(operation: string, call: Parameters<RunOf>[1]): Promise<void> | void;
}

/** The declared routes of a portal as functions. */
export function routePort({ portal }: TestPortal, watch: PortWatch = {}): OperationPort {
  const { services } = portal;
  const routeOf = (operation: string) => {
    const route = portal.routes.find((candidate) => candidate.operation === operation);
    if (!route) throw new Error(`no route declares ${operation}`);
    return route as Route<unknown>;
  };
  const may = async (operation: string, actor: AdminActor) => {
    const { policy } = routeOf(operation);
    try {
      if (policy) await services.authorizer.authorize(actor, ...policy);
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      throw error;
    }
  };
  const validate = (operation: string, body: unknown) => bodyValidator(routeOf(operation).body)(body);
  const run: RunOf = async (operation, call) => {
    const route = routeOf(operation);
    await watch.before?.(operation, call);
    if (!(await may(operation, call.actor))) throw new ForbiddenError();
    const { actor, params = {}, query = {}, body = {}, request, locale } = call;
    const input: Record<string, unknown> = { services, actor, locale, params, request: { ...request, headers: {} } };
    const outcome = await runAs({ person: toActingPerson(actor), request }, async () => {
      input.found = await route.find?.(input as never);
      input.list = route.list && parseListQuery(query, route.list, { perPage: 15, maxPerPage: 100 });
      input.body = route.method === 'get' ? {} : validate(operation, body);
      return route.handle(input as never);
    });
    await watch.after?.(operation, call);
    if (outcome instanceof PageReply) return { status: 200, data: outcome.page.items, page: outcome.page };
    return outcome instanceof Reply ? { status: outcome.status, data: outcome.data } : { status: 200, data: outcome };
  };
  return { run, may, validate, route: routeOf };
}

/** Disables developers by filter; and something that asks for a recent sign-in. */
export const bulkActions: FindBulkAction = (resource, action) => {
  if (resource !== 'users') return null;
  if (action === 'deactivate')
    return { list: 'listUsers', operation: 'deactivateUser', offered: ({ status }) => status !== 'inactive' };
  if (action === 'activate')
    return { list: 'listUsers', operation: 'activateUser', rowParams: ({ id }) => ({ id: Number(id) }) };
  return null;
};

/** A signed-in admin with these permissions besides access, or else a super admin, who asks for something. */
export async function callerOf(test: TestPortal, permissions?: readonly string[]): Promise<BulkCaller> {
  await test.portal.services.rbac.seed();
  const role = permissions && (await createRole(test, ['portal.admin.access', ...permissions]));
  const admin = await createAdmin(test, { roles: [role ?? 'super_admin'] });
  const actor = {
    context: 'admin',
    id: admin.id,
    admin,
    sid: 's',
    channel: 'theme',
    authTime: test.clock.now(),
  } as const;
  return { actor, locale: 'en', request: { requestId: 'start', ip: '203.0.113.9', userAgent: 'test' } };
}
