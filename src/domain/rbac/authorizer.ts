import { ForbiddenError, OWN_ACCOUNT } from '../../core/index.js';
import type { RbacConfig } from './config.js';
import type { ApiAuthorizer } from './contracts.js';
import { configuredName, impliedBy, policyPermission } from './permissions.js';
import type { RbacService } from './rbac-service.js';

type GrantSource = Pick<RbacService, 'grantsOf'>;

/** The default policy: `portal.{resource}.{ability}`, or the core permission that implies it. */
export class PermissionAuthorizer implements ApiAuthorizer {
  constructor(
    private readonly grants: GrantSource,
    private readonly config: RbacConfig,
  ) {}

  async authorize(admin: { readonly id: number }, ability: string, subject: string): Promise<void> {
    if (!this.config.usePolicies) return;
    const { bypass, permissions } = await this.grants.grantsOf(admin.id);
    const implying = impliedBy(subject, this.config.rbac.permissions);
    const required = policyPermission(ability, subject);
    if (bypass || permissions.has(required) || (implying !== undefined && permissions.has(implying))) return;
    throw new ForbiddenError({ detail: `admin ${admin.id} lacks ${required}` });
  }
}

interface GuardedRoute {
  readonly permission?: string | undefined;
  readonly policy?: readonly [ability: string, resource: string] | undefined;
}

/**
 * Both authorization layers of an admin route; each can be switched off separately. Implements `RouteGuards.authorize`
 * of http.
 */
export class RouteAuthorizer {
  constructor(
    private readonly grants: GrantSource,
    private readonly policies: ApiAuthorizer,
    private readonly config: RbacConfig,
  ) {}

  /** @throws ForbiddenError */
  async authorize(actor: { readonly id: number; readonly context?: string }, route: GuardedRoute): Promise<void> {
    // Checked regardless of the switches: even with both layers off, admin routes stay admin-only (S61).
    if (actor.context !== 'admin') throw new ForbiddenError({ detail: 'an admin route takes admins only' });
    if (this.config.rbac.enabled && route.permission !== OWN_ACCOUNT) await this.checkRoute(actor.id, route.permission);
    if (route.policy) await this.policies.authorize(actor, ...route.policy);
  }

  private async checkRoute(adminId: number, permission: string | undefined): Promise<void> {
    const { bypass, permissions } = await this.grants.grantsOf(adminId);
    if (bypass) return;
    const core = this.config.rbac.permissions;
    const needed = [core.adminAccess, ...(permission === undefined ? [] : [configuredName(permission, core)])];
    const missing = needed.find((name) => !permissions.has(name));
    if (missing !== undefined) throw new ForbiddenError({ detail: `admin ${adminId} lacks ${missing}` });
  }
}
