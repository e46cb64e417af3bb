import { ForbiddenError, OWN_ACCOUNT } from '../../core/index.js';
import type { RbacConfig } from './config.js';
import type { ApiAuthorizer } from './contracts.js';
import { nameConfigured, findImplying, policyPermission } from './permissions.js';
import type { RbacService } from './rbac-service.js';

type GrantSource = Pick<RbacService, 'grantsOf'>;

/** The default policy: `portal.{resource}.{ability}`, or the core permission that implies it. */
export class PermissionAuthorizer implements ApiAuthorizer {
  constructor(
    private readonly grants: GrantSource,
    private readonly config: RbacConfig,
  ) {}

  async authorize(admin: { readonly id: number }, ability: string, subject: string): Promise<void> {
    // Without policies admins may do what admins may; a service token has what it was given, and nothing else.
    if (!this.config.usePolicies && admin.id > 0) return;
    const { bypass, permissions } = await this.grants.grantsOf(admin.id);
    const implying = findImplying(subject, this.config.rbac.permissions);
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
  /** Asked about service tokens whatever the host put in place of the second layer: it was written for admins. */
  private readonly own: PermissionAuthorizer;

  constructor(
    private readonly grants: GrantSource,
    private readonly policies: ApiAuthorizer,
    private readonly config: RbacConfig,
  ) {
    this.own = new PermissionAuthorizer(grants, config);
  }

  /** @throws ForbiddenError */
  async authorize(actor: { readonly id: number; readonly context?: string }, route: GuardedRoute): Promise<void> {
    // Checked regardless of the switches: even with both layers off, admin routes stay admin-only (S61).
    if (actor.context !== 'admin') throw new ForbiddenError({ detail: 'an admin route takes admins only' });
    const isService = actor.id < 0;
    if (isService && route.permission === OWN_ACCOUNT)
      throw new ForbiddenError({ detail: 'a service token has no account of its own' });
    if ((this.config.rbac.enabled || isService) && route.permission !== OWN_ACCOUNT)
      await this.checkRoute(actor.id, route.permission);
    if (route.policy) await this.policies.authorize(actor, ...route.policy);
    if (route.policy && isService) await this.own.authorize(actor, ...route.policy);
  }

  private async checkRoute(adminId: number, permission: string | undefined): Promise<void> {
    const { bypass, permissions } = await this.grants.grantsOf(adminId);
    if (bypass) return;
    const core = this.config.rbac.permissions;
    const needed = [core.adminAccess, ...(permission === undefined ? [] : [nameConfigured(permission, core)])];
    const missing = needed.find((name) => !permissions.has(name));
    if (missing !== undefined) throw new ForbiddenError({ detail: `admin ${adminId} lacks ${missing}` });
  }
}
