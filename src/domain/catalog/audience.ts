import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../database/index.js';

/** A group of developers that private products are shown to. */
export interface AudienceRecord {
  readonly id: number;
  readonly name: string;
  readonly description: string;
}

/** Row of `portal_audiences`. */
export interface Audience extends Model<InferAttributes<Audience>, InferCreationAttributes<Audience>> {
  id: CreationOptional<number>;
  name: string;
  description: string;
  createdAt: Date;
  updatedAt: Date;
}

export const audienceModel = defineModel<Audience>('Audience', 'portal_audiences', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  name: DataTypes.STRING(100),
  description: DataTypes.STRING(500),
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});
