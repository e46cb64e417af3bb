import { column, defineMigration } from '../migration.js';

const TABLE = 'portal_credential_products';
const version = () => column.reference('portal_plan_versions', { onDelete: 'restrict', nullable: true });
const COLUMNS = {
  plan_version_id: version(),
  /** Day of the month on which its anchored periods begin. */
  plan_day: column.integer({ nullable: true }),
  next_plan_version_id: version(),
  next_plan_status: column.code(16, { nullable: true }),
  next_plan_by: column.code(16, { nullable: true }),
  next_plan_asked_at: column.datetime({ nullable: true }),
  next_plan_at: column.datetime({ nullable: true }),
};
const INDEXES = [
  ['plan_version_id'],
  ['next_plan_version_id'],
  ['next_plan_status', 'next_plan_at'],
  ['next_plan_status', 'next_plan_asked_at'],
];

/** The plan of a product on a key, and the one that it will have. Without a plan there are no limits, as before. */
export const migration = defineMigration({
  async up(schema) {
    for (const [name, type] of Object.entries(COLUMNS)) await schema.addColumn(TABLE, name, type);
    for (const columns of INDEXES) await schema.addIndex(TABLE, columns);
  },
  async down(schema) {
    // MySQL drops an index with its only column, but not before the foreign key that needs it.
    const droppable = INDEXES.filter(({ length }) => length > 1 || schema.dialect === 'sqlite');
    for (const columns of [...droppable].reverse()) await schema.dropIndex(TABLE, columns);
    for (const name of Object.keys(COLUMNS).reverse()) await schema.dropColumn(TABLE, name);
  },
});
