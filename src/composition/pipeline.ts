import { managedIdOf } from '../api/index.js';
import type { OperatorParts } from '../as-code/index.js';
import { runAs } from '../core/index.js';
import { DatabaseIdempotencyStore } from '../cache/index.js';
import { toActingPerson, AdminRequestRefusedEvent, type AdminActor, type ConsumerActor } from '../domain/auth/index.js';
import type { RouteAuthorizer } from '../domain/rbac/index.js';
import type { PortalServices } from '../domain/services.js';
import type { Pipeline, RouteGuards } from '../http/index.js';
import type { DomainBase } from './base.js';

/** The steps that every request of the API passes. */
export function createPipeline(
  base: DomainBase,
  services: PortalServices,
  authorizer: RouteAuthorizer,
): Pipeline<PortalServices> {
  const { config, address, defaultLocale, locales } = base;
  return {
    services,
    guards: guardsOf(base, services, authorizer),
    // In the database, so that a retry may reach another replica.
    repetitions: new DatabaseIdempotencyStore(base),
    settings: {
      baseUrl: () => address.base(),
      bodyLimit: config.http.bodyLimit,
      ...{ locales, defaultLocale },
      ...config.portalApi.pagination,
    },
  };
}

/** Has the API carry out what files in a repository say. */
export function connectFiles(services: PortalServices, parts: OperatorParts): void {
  services.console.operations.connectFiles(async (changes, caller) => {
    // Most portals are never applied to.
    const { makeApplier } = await import('../as-code/index.js');
    await makeApplier(parts)(changes, caller);
  });
}

function guardsOf(base: DomainBase, services: PortalServices, authorizer: RouteAuthorizer): RouteGuards {
  const { guard } = services.auth;
  return {
    describe: (actor) => toActingPerson(actor as ConsumerActor | AdminActor),
    recordRefusal: async (route, { status }, actor, request) => {
      const known = actor as AdminActor | null;
      const fact = { accountId: known?.id ?? null, email: known?.admin.email || null, sid: known?.sid ?? null };
      const event = { ...fact, context: 'admin', request, operation: route.operation, status } as const;
      try {
        const refused = new AdminRequestRefusedEvent({ ...event, occurredAt: base.clock.now() });
        const record = () => base.events.emit(refused);
        // Needed for tokens: they are not admins, so the event alone would not say whose call it was.
        await (known?.service ? runAs({ person: toActingPerson(known), request }, record) : record());
      } catch (error) {
        // The refusal stands even if it cannot be recorded.
        base.logger.error({ err: error, ...event }, 'a refusal was not recorded');
      }
    },
    authenticate: (context, token, request) => guard.authenticate(context, token, request),
    admit: async (actor, { operation, exemptFromGates }) => {
      const entrance = { surface: 'api', name: operation, exemptFromGates: exemptFromGates === true } as const;
      const refusal = await guard.refusal(actor as ConsumerActor | AdminActor, entrance);
      if (refusal) throw refusal.error;
    },
    authorize: (actor, route) => authorizer.authorize(actor, route),
    protect: async (actor, { manages: kind }, { params, found }) => {
      // Machines carry out what the files say.
      if (kind === undefined || (actor as AdminActor).service) return;
      await services.console.managed.requireFree(kind, managedIdOf(found, params));
    },
    throttle: (limit, request) => guard.throttle(limit, request),
  };
}
