import type { PortalServices } from '../api/index.js';
import type { RouteAuthorizer } from '../domain/rbac/index.js';
import type { PipelineSettings, RouteGuards } from '../http/index.js';
import type { DomainBase } from './base.js';

export function guardsOf({ guard }: PortalServices['auth'], authorizer: RouteAuthorizer): RouteGuards {
  return {
    authenticate: (context, token, request) => guard.authenticate(context, token, request),
    authorize: (actor, route) => authorizer.authorize(actor, route),
    throttle: (limit, request) => guard.throttle(limit, request),
  };
}

export function pipelineSettings({ config, address }: DomainBase): PipelineSettings {
  return {
    baseUrl: () => address.base(),
    bodyLimit: config.http.bodyLimit,
    locales: config.theme.locales,
    defaultLocale: config.theme.locale,
    ...config.portalApi.pagination,
  };
}
