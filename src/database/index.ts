export { Op, Transaction } from 'sequelize';
/** @internal */
export { DataTypes, Model } from 'sequelize';
export type { DatabaseConfig } from './config.js';
export { changeRecord, lockRecord, touchRecords } from './change-record.js';
export { Database, type ExecuteOptions, type SelectOptions } from './database.js';
export type { Decode, Decoder } from './decode.js';
export type { Dialect, SqlValue, WriteResult } from './driver.js';
export * from './errors.js';
export { openDatabase, type OpenDatabaseOptions } from './open-database.js';
export * from './migration.js';
export { fieldOf, fromRow, times } from './record-field.js';
export { mergeRows, type Merge } from './merge-rows.js';
export { defineRecord, type NewRowOf, type RecordTable, type RowOf } from './record.js';
export {
  changeJoinRows,
  countRows,
  countRowsOf,
  findJoined,
  findRows,
  joinedIds,
  replaceRows,
  selectJoined,
  selectOwned,
  type JoinRows,
  type OwnedRows,
} from './owned-rows.js';
export { findByReference, findJoinedNames, type NamedRow, type NamedTable } from './references.js';
export { placeholders } from './placeholders.js';
export { Migrator, type MigrationRun, type MigrationStatus, type MigratorOptions } from './schema/migrator.js';
export { hostMigrations } from './schema/host-migrations.js';
/** @internal */
export { packageMigrations } from './schema/package-migrations.js';
export type { NamedMigration } from './schema/package-migrations.js';
export { defineList, type List, type ListColumn, type ListDefinition } from './listing/list.js';
/** @internal */
export { LAST_PAGE } from './listing/lists.js';
export { Lists, type ListRunOptions, type ListScope } from './listing/lists.js';
export { TableVersions } from './listing/table-versions.js';
export { removeExpired, type ExpiredRows } from './remove-expired.js';
export {
  reEncryptColumn,
  type ReEncryptReport,
  type EncryptedColumn,
  sampleColumn,
  type EncryptedSample,
} from './re-encrypt.js';
export { backUpSqlite } from './drivers/sqlite-back-up.js';
export { appendOnlyTriggers, findTriggers } from './schema/append-only.js';
