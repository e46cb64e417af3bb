import { defineMigration } from 'portalkit';

/**
 * Say here what this changes and why. `schema` has createTable, addColumn, addIndex and their opposites, which do nothing
 * when they are done already, and `execute(sql)` for the rest. SQL has to be repeatable too: MySQL commits after every
 * change of the schema, so a migration that broke off runs again from its start. Look at the SQL with
 * `npx portal migrate --pretend`.
 */
export const migration = defineMigration({
  async up(schema) {
    // Until it is written it stops here, so that an empty change is never recorded as done.
    throw new Error('this migration is not written yet');
  },

  async down(schema) {
    throw new Error('this migration has no way back yet');
  },
});
