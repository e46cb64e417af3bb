import type { Database, Transaction } from '../../database/index.js';
import { NotFoundError } from '../../core/index.js';
import type { AdminRecord } from './admin.js';
import { normaliseEmail } from './email.js';
import type { UserRecord } from './user.js';

interface Accounts {
  readonly user: { readonly account: UserRecord };
  readonly admin: { readonly account: AdminRecord };
}

/** The account plus its password hash; never leaves the domain. */
type CredentialsOf<Kind extends keyof Accounts> = { readonly [K in Kind]: Accounts[K]['account'] } & {
  readonly passwordHash: string;
  readonly authEpoch: number;
};

export type UserCredentials = CredentialsOf<'user'>;
export type AdminCredentials = CredentialsOf<'admin'>;

/** How each kind of account is read by id and by address. */
interface AccountTable<Account> {
  find(
    database: Database,
    where: { readonly id: number } | { readonly email: string },
    options?: {
      readonly transaction?: Transaction | undefined;
      readonly lock?: boolean;
      readonly with?: readonly ('passwordHash' | 'authEpoch')[];
    },
  ): Promise<(Account & { readonly passwordHash?: string; readonly authEpoch?: number }) | null>;
}

/** Account lookups: the read-only half of `UserService` and `AdminService`. */
export class AccountReader<Kind extends keyof Accounts> {
  constructor(
    private readonly kind: Kind,
    private readonly table: AccountTable<Accounts[Kind]['account']>,
    private readonly source: { readonly database: Database },
  ) {}

  /** @throws NotFoundError */
  async find(id: number, transaction?: Transaction): Promise<Accounts[Kind]['account']> {
    return requireFound(await this.table.find(this.source.database, { id }, { transaction }));
  }

  /** The account for an address in any spelling (S11); null if there is none or the input is not an address. */
  async findByEmail(spelling: string): Promise<CredentialsOf<Kind> | null> {
    const email = normaliseEmail(spelling);
    return email === null ? null : this.readCredentials({ email });
  }

  /** @throws NotFoundError */
  async findCredentials(id: number): Promise<CredentialsOf<Kind>> {
    return requireFound(await this.readCredentials({ id }));
  }

  private async readCredentials(
    where: { readonly id: number } | { readonly email: string },
  ): Promise<CredentialsOf<Kind> | null> {
    const options = { with: ['passwordHash', 'authEpoch'] } as const;
    const row = await this.table.find(this.source.database, where, options);
    if (!row) return null;
    const { passwordHash, authEpoch, ...account } = row;
    return { [this.kind]: account, passwordHash, authEpoch } as unknown as CredentialsOf<Kind>;
  }
}

function requireFound<T>(row: T | null): T {
  if (row === null) throw new NotFoundError();
  return row;
}
