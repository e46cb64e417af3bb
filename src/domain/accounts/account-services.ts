import type { Logger } from '../../core/index.js';
import type { OutboundFetcher } from '../../outbound/index.js';
import { AdminService } from './admin-service.js';
import type { AccountConfig } from './config.js';
import { NewPasswords, type NewPasswordSettings } from './new-passwords.js';
import { PwnedPasswords } from './pwned-passwords.js';
import { UserService, type UserServiceParts } from './user-service.js';

export interface AccountServices {
  readonly users: UserService;
  readonly admins: AdminService;
  /** The accounts that teams own their apps with. */
  readonly teamAccounts: UserService;
  /** Requirements for new passwords. */
  readonly passwords: Pick<NewPasswords, 'minimum'>;
}

interface AccountServicesParts extends Omit<UserServiceParts, 'passwords' | 'customAttributes'> {
  readonly logger: Logger;
  readonly outbound: OutboundFetcher;
  readonly config: {
    readonly app: { readonly name: string };
    readonly accounts: AccountConfig & {
      readonly password: Pick<NewPasswordSettings, 'minLength' | 'adminMinLength'>;
    };
  };
}

export function createAccountServices({ config, ...base }: AccountServicesParts): AccountServices {
  const { password, pwnedPasswordsUrl, customAttributes } = config.accounts;
  const passwords = new NewPasswords({
    hasher: base.hasher,
    ...password,
    portalName: config.app.name,
    leaked: pwnedPasswordsUrl === undefined ? undefined : new PwnedPasswords(pwnedPasswordsUrl, base),
  });
  const parts = { ...base, passwords };
  const ofUsers = { ...parts, customAttributes };
  return {
    ...{ users: new UserService(ofUsers), teamAccounts: new UserService(ofUsers, 'team') },
    ...{ admins: new AdminService(parts), passwords },
  };
}
