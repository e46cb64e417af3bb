import type { SchemaBuilder } from './schema/schema-builder.js';

export { column } from './schema/column.js';
export type { Column, ColumnOptions, OnDelete } from './schema/column.js';
export type { TableDefinition } from './schema/table.js';
export type { SchemaBuilder };

/** One schema change and its reversal. Never import a model: models change, a migration must not. */
export interface Migration {
  up(schema: SchemaBuilder): Promise<void>;
  down(schema: SchemaBuilder): Promise<void>;
}

export function defineMigration(migration: Migration): Migration {
  return migration;
}
