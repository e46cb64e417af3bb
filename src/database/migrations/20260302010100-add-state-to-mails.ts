import { column, defineMigration } from '../migration.js';

/** What admins ask of a mail: to whom it goes, and why the last try failed. Mails of before have neither. */
const INDEXES = [
  ['created_at', 'id'],
  ['due_at', 'id'],
  ['state', 'created_at', 'id'],
  ['recipient', 'created_at', 'id'],
];

export const migration = defineMigration({
  async up(schema) {
    await schema.addColumn('portal_mails', 'recipient', column.code(254, { nullable: true }));
    await schema.addColumn('portal_mails', 'last_error', column.code(255, { nullable: true }));
    for (const columns of INDEXES) await schema.addIndex('portal_mails', columns);
  },
  async down(schema) {
    for (const columns of [...INDEXES].reverse()) await schema.dropIndex('portal_mails', columns);
    await schema.dropColumn('portal_mails', 'last_error');
    await schema.dropColumn('portal_mails', 'recipient');
  },
});
