import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../database/index.js';

const USER_STATUSES = ['active', 'inactive', 'pending'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** A developer as the portal knows them, without the password. */
export interface UserRecord {
  readonly id: number;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly status: UserStatus;
  readonly emailVerifiedAt: Date | null;
  readonly pendingEmail: string | null;
  /** The language that they read; null while they never chose one. */
  readonly locale: string | null;
  readonly customAttributes: Readonly<Record<string, unknown>>;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Row of `portal_users`. */
export interface User extends Model<InferAttributes<User>, InferCreationAttributes<User>>, UserRecord {
  id: CreationOptional<number>;
  /** Canonical (S11); see `canonicalEmail`. */
  email: string;
  firstName: string;
  lastName: string;
  passwordHash: string;
  status: UserStatus;
  emailVerifiedAt: CreationOptional<Date | null>;
  pendingEmail: CreationOptional<string | null>;
  locale: CreationOptional<string | null>;
  customAttributes: CreationOptional<Record<string, unknown>>;
  /** Rises when every session of the account must end at once. */
  authEpoch: CreationOptional<number>;
  createdAt: Date;
  updatedAt: Date;
}

export const userModel = defineModel<User>('User', 'portal_users', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  email: DataTypes.STRING(254),
  firstName: DataTypes.STRING(100),
  lastName: DataTypes.STRING(100),
  passwordHash: DataTypes.STRING(255),
  status: DataTypes.STRING(16),
  emailVerifiedAt: TIMESTAMP,
  pendingEmail: DataTypes.STRING(254),
  locale: DataTypes.STRING(16),
  customAttributes: { type: DataTypes.JSON, defaultValue: {} },
  authEpoch: { type: DataTypes.INTEGER, defaultValue: 0 },
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

const COLUMNS = {
  id: 'id',
  email: 'email',
  firstName: 'first_name',
  lastName: 'last_name',
  status: 'status',
  emailVerifiedAt: 'email_verified_at',
  pendingEmail: 'pending_email',
  locale: 'locale',
  customAttributes: 'custom_attributes',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const satisfies Record<keyof UserRecord, string>;

/** Field of a {@link UserRecord} → column of `portal_users AS <alias>`; decode with {@link USER_DECODE}. */
export function userFields(alias: string): Record<keyof UserRecord, string> {
  const fields = Object.entries(COLUMNS).map(([name, column]) => [name, `${alias}.${column}`]);
  return Object.fromEntries(fields) as Record<keyof UserRecord, string>;
}

/** The same for a raw SELECT. */
export function userColumns(alias: string): string {
  return Object.entries(userFields(alias))
    .map(([name, sql]) => `${sql} AS ${name}`)
    .join(', ');
}

export const USER_DECODE = {
  emailVerifiedAt: 'date',
  customAttributes: 'json',
  createdAt: 'date',
  updatedAt: 'date',
} as const;

/** No password has it as its hash: nobody gets in before a link by mail has given the account a password. */
export const NO_PASSWORD = '';

export function fullName(user: Pick<UserRecord, 'firstName' | 'lastName'>): string {
  return `${user.firstName} ${user.lastName}`.trim();
}

/** Whom a mail about an account goes to. */
export function addressUser(user: Pick<UserRecord, 'email' | 'firstName' | 'lastName' | 'emailVerifiedAt'>) {
  return { to: user.email, name: fullName(user), isUnproved: user.emailVerifiedAt === null };
}
