import type { AdminCredentials, AdminService, SessionToKeep, UserCredentials, UserService } from '../accounts/index.js';
import type { AccountRef, AuthAccount } from './account.js';
import type { AuthContext } from './actor.js';

export interface StoredAccount {
  readonly account: AuthAccount;
  readonly passwordHash: string;
}

/** One interface for developers and admins, so that every login rule is written once. */
export class AccountRepository {
  constructor(
    private readonly users: UserService,
    private readonly admins: AdminService,
  ) {}

  /** By an address in any spelling (S11); null if it is unknown or not an address. */
  async findByEmail(context: AuthContext, email: string): Promise<StoredAccount | null> {
    if (context === 'admin') {
      const admin = await this.admins.findByEmail(email);
      return admin && adminAccount(admin);
    }
    const user = await this.users.findByEmail(email);
    return user && userAccount(user);
  }

  /** @throws NotFoundError */
  async find({ context, id }: AccountRef): Promise<StoredAccount> {
    return context === 'admin'
      ? adminAccount(await this.admins.findCredentials(id))
      : userAccount(await this.users.findCredentials(id));
  }

  /** Hashes the same password with today's parameters (S02). */
  async rehash({ account, passwordHash }: StoredAccount, password: string): Promise<void> {
    const service = account.context === 'admin' ? this.admins : this.users;
    await service.rehash(account.id, password, passwordHash);
  }

  /** @throws NotFoundError, ValidationError on `password` */
  async changePassword({ context, id }: AccountRef, password: string, keep: SessionToKeep): Promise<void> {
    const service = context === 'admin' ? this.admins : this.users;
    await service.changePassword(id, password, keep);
  }

  /** Records the time of a sign-in, if the record has a field for it. */
  async recordLogin(account: AuthAccount): Promise<void> {
    if (account.context === 'admin') await this.admins.recordLogin(account.id);
  }
}

function userAccount({ user, authEpoch, passwordHash }: UserCredentials): StoredAccount {
  return { account: { context: 'consumer', id: user.id, email: user.email, authEpoch, user }, passwordHash };
}

function adminAccount({ admin, authEpoch, passwordHash }: AdminCredentials): StoredAccount {
  return { account: { context: 'admin', id: admin.id, email: admin.email, authEpoch, admin }, passwordHash };
}
