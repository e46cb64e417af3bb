import { DataTypes, type Model, type ModelAttributes, type ModelStatic } from 'sequelize';
import type { Database } from './database.js';

/** A column of time: UTC with milliseconds, on both dialects. */
export const TIMESTAMP = DataTypes.DATE(3);

/**
 * A model that every {@link Database} gets its own class of, so that two portals in one process never share a connection.
 * Attributes are camelCase, columns snake_case. `created_at` and `updated_at` are ordinary attributes: services write them
 * from the injected clock.
 */
export function defineModel<M extends Model>(
  name: string,
  tableName: string,
  attributes: ModelAttributes<M>,
): (database: Database) => ModelStatic<M> {
  return ({ sequelize }) => {
    if (sequelize.isDefined(name)) return sequelize.model(name) as ModelStatic<M>;
    return sequelize.define<M>(name, attributes, { tableName, underscored: true, timestamps: false });
  };
}
