import {
  DataTypes,
  defineList,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../../database/index.js';

/** Something that an admin may be allowed to do. */
export interface PermissionRecord {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Row of `portal_permissions`. */
export interface Permission extends Model<InferAttributes<Permission>, InferCreationAttributes<Permission>> {
  id: CreationOptional<number>;
  /** Stable and unique, for example `portal.users.view`. */
  name: string;
  description: string;
  createdAt: Date;
  updatedAt: Date;
}

export const permissionModel = defineModel<Permission>('Permission', 'portal_permissions', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  name: DataTypes.STRING(100),
  description: DataTypes.STRING(500),
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

const COLUMNS = {
  id: 'p.id',
  name: 'p.name',
  description: 'p.description',
  createdAt: 'p.created_at',
  updatedAt: 'p.updated_at',
} as const;

const FIELDS = {
  id: { column: COLUMNS.id, type: 'integer' },
  name: { column: COLUMNS.name, type: 'string', unique: true },
  created_at: { column: COLUMNS.createdAt, type: 'date' },
  updated_at: { column: COLUMNS.updatedAt, type: 'date' },
} as const;

/** Permissions as admins list them. */
export const permissionList = defineList<PermissionRecord>({
  name: 'permissions',
  table: 'portal_permissions',
  alias: 'p',
  columns: COLUMNS,
  decode: { createdAt: 'date', updatedAt: 'date' },
  sorts: FIELDS,
  filters: {
    ...FIELDS,
    role: {
      column: 'r.name',
      type: 'string',
      within: `SELECT 1 FROM portal_role_permissions l JOIN portal_roles r ON r.id = l.role_id
        WHERE l.permission_id = ${COLUMNS.id}`,
    },
  },
  search: [COLUMNS.name, COLUMNS.description],
});
