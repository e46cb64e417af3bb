import { defineMigration } from '../migration.js';

const MADE_AT = new Date('2026-02-01T05:01:00.000Z');

/** Key → label of the settings that the portal itself reads. */
const KNOWN = {
  'theme.brand_color': 'Brand',
  'theme.logo_url': 'Logo',
  'theme.name': 'Name of the portal',
  'theme.tagline': 'Headline of the first page',
};

/** Creates rows for the settings that the portal reads, so that they are listed; existing ones stay as they are. */
export const migration = defineMigration({
  async up(schema) {
    for (const [key, label] of Object.entries(KNOWN)) {
      await schema.execute(
        `INSERT INTO portal_settings (setting_key, value, type, label, setting_group, is_public, created_at, updated_at)
         SELECT '${key}', NULL, 'string', '${label}', 'theme', 1, ?, ?
         WHERE NOT EXISTS (SELECT 1 FROM portal_settings WHERE setting_key = '${key}')`,
        [MADE_AT, MADE_AT],
      );
    }
  },
  async down(schema) {
    const keys = Object.keys(KNOWN).map((key) => `'${key}'`);
    await schema.execute(`DELETE FROM portal_settings WHERE setting_key IN (${keys.join(', ')}) AND value IS NULL`);
  },
});
