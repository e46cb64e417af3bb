import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../../database/index.js';

/** Row of `portal_roles`. */
export interface Role extends Model<InferAttributes<Role>, InferCreationAttributes<Role>> {
  id: CreationOptional<number>;
  /** Stable and unique, for example `catalog_manager`. */
  name: string;
  label: string;
  createdAt: Date;
  updatedAt: Date;
}

export const roleModel = defineModel<Role>('Role', 'portal_roles', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  name: DataTypes.STRING(100),
  label: DataTypes.STRING(200),
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

/** A role as other records name it. */
export interface RoleReference {
  readonly id: number;
  readonly name: string;
}

/** A role with the names of its permissions in alphabetical order. */
export interface RoleRecord extends RoleReference {
  readonly label: string;
  readonly permissions: readonly string[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
