import type { PortalServices } from '../api/index.js';
import { AdminService, NewPasswords, PwnedPasswords, UserService } from '../domain/accounts/index.js';
import type { DomainBase } from './base.js';

export function createAccounts(base: DomainBase): PortalServices['accounts'] {
  const { password, pwnedPasswordsUrl, customAttributes } = base.config.accounts;
  const passwords = new NewPasswords({
    hasher: base.hasher,
    ...password,
    portalName: base.config.app.name,
    leaked: pwnedPasswordsUrl === undefined ? undefined : new PwnedPasswords(pwnedPasswordsUrl, base),
  });
  const parts = { ...base, passwords };
  return {
    users: new UserService({ ...parts, customAttributes, locales: base.config.theme.locales }),
    admins: new AdminService(parts),
    passwords,
  };
}
