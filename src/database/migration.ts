import type { SchemaBuilder } from './schema/schema-builder.js';

export { column } from './schema/column.js';
export type { Column, ColumnOptions, OnDelete } from './schema/column.js';
export type { TableDefinition } from './schema/table.js';
export type { SchemaBuilder };

/** One change of the schema, and its way back. Never imports a model: models move on, a migration stays as it was. */
export interface Migration {
  up(schema: SchemaBuilder): Promise<void>;
  down(schema: SchemaBuilder): Promise<void>;
}

export function defineMigration(migration: Migration): Migration {
  return migration;
}
