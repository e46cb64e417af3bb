import { defineMigration } from '../migration.js';

const MADE_AT = new Date('2026-11-24T16:01:00.000Z');

/** Creates the row of the setting with the words for agents, so that it is listed; an existing one stays as it is. */
export const migration = defineMigration({
  async up(schema) {
    await schema.execute(
      `INSERT INTO portal_settings (setting_key, value, type, label, setting_group, is_public, created_at, updated_at)
       SELECT 'agents.introduction', NULL, 'string', 'Introduction for agents', 'agents', 1, ?, ?
       WHERE NOT EXISTS (SELECT 1 FROM portal_settings WHERE setting_key = 'agents.introduction')`,
      [MADE_AT, MADE_AT],
    );
  },
  async down(schema) {
    await schema.execute("DELETE FROM portal_settings WHERE setting_key = 'agents.introduction' AND value IS NULL");
  },
});
