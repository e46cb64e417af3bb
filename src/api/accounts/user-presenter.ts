import { fullName, type UserRecord } from '../../domain/accounts/index.js';
import type { AudienceReference } from '../../domain/catalog/index.js';

/** A developer as they see themselves. */
export function presentDeveloper(user: UserRecord) {
  return {
    id: user.id,
    email: user.email,
    first_name: user.firstName,
    last_name: user.lastName,
    full_name: fullName(user),
    status: user.status,
    email_verified_at: user.emailVerifiedAt,
    pending_email: user.pendingEmail,
    locale: user.locale,
    custom_attributes: user.customAttributes,
    created_at: user.createdAt,
    updated_at: user.updatedAt,
  };
}

/** A developer as admins see them. */
export function presentUser(user: UserRecord, audiences: readonly AudienceReference[] = []) {
  return { ...presentDeveloper(user), audiences: audiences.map(({ id, name }) => ({ id, name })) };
}
