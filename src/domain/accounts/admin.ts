import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../database/index.js';

const ADMIN_STATUSES = ['active', 'inactive'] as const;
export type AdminStatus = (typeof ADMIN_STATUSES)[number];

/** An operator of the portal, without the password. */
export interface AdminRecord {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly status: AdminStatus;
  readonly lastLoginAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Row of `portal_admins`. */
export interface Admin extends Model<InferAttributes<Admin>, InferCreationAttributes<Admin>>, AdminRecord {
  id: CreationOptional<number>;
  name: string;
  /** Canonical (S11). */
  email: string;
  passwordHash: string;
  status: AdminStatus;
  /** Rises when every session of the account must end at once. */
  authEpoch: CreationOptional<number>;
  lastLoginAt: CreationOptional<Date | null>;
  createdAt: Date;
  updatedAt: Date;
}

export const adminModel = defineModel<Admin>('Admin', 'portal_admins', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  name: DataTypes.STRING(200),
  email: DataTypes.STRING(254),
  passwordHash: DataTypes.STRING(255),
  status: DataTypes.STRING(16),
  authEpoch: { type: DataTypes.INTEGER, defaultValue: 0 },
  lastLoginAt: TIMESTAMP,
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

/** Columns of an {@link AdminRecord} for a raw SELECT; decode with {@link ADMIN_DECODE}. */
export function adminColumns(alias: string): string {
  const c = (column: string, name: string) => `${alias}.${column} AS ${name}`;
  return [
    c('id', 'id'),
    c('name', 'name'),
    c('email', 'email'),
    c('status', 'status'),
    c('last_login_at', 'lastLoginAt'),
    c('created_at', 'createdAt'),
    c('updated_at', 'updatedAt'),
  ].join(', ');
}

export const ADMIN_DECODE = { lastLoginAt: 'date', createdAt: 'date', updatedAt: 'date' } as const;
