import { defineMigration } from '../migration.js';

const TABLE = 'portal_credentials';
const COLUMN = 'key_ending';
const INDEXES = [
  [COLUMN, 'id'],
  [COLUMN, 'created_at', 'id'],
];

/** The last four characters of a key, by which people name it. Computed from the hint, so no row is written. */
export const migration = defineMigration({
  async up(schema) {
    if (!(await schema.hasColumn(TABLE, COLUMN))) {
      const collation = schema.dialect === 'sqlite' ? '' : 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin';
      await schema.execute(
        `ALTER TABLE ${TABLE} ADD COLUMN ${COLUMN} VARCHAR(4) ${collation}
         GENERATED ALWAYS AS (SUBSTR(key_hint, -4)) VIRTUAL`,
      );
    }
    for (const columns of INDEXES) await schema.addIndex(TABLE, columns);
  },
  async down(schema) {
    for (const columns of [...INDEXES].reverse()) await schema.dropIndex(TABLE, columns);
    await schema.dropColumn(TABLE, COLUMN);
  },
});
