import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../database/index.js';

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
