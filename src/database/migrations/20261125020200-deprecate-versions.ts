import { defineMigration } from '../migration.js';

/** The state of a version and a deprecation of its name are one from now on: those that have none yet get it. */
export const migration = defineMigration({
  async up(schema) {
    await schema.execute(
      `INSERT INTO portal_deprecations (product_id, version, exceptions, state, deprecated_at, closes, brownouts, announced_at,
         retired_at, created_at, updated_at)
       SELECT v.product_id, v.name, '[]', CASE v.state WHEN 'retired' THEN 'retired' ELSE 'announced' END, v.updated_at,
         'automatic', '[]', v.updated_at, CASE v.state WHEN 'retired' THEN v.updated_at END, v.updated_at, v.updated_at
       FROM portal_product_versions v
       WHERE v.state IN ('deprecated', 'retired') AND NOT EXISTS (
         SELECT 1 FROM portal_deprecations d
         WHERE d.product_id = v.product_id AND d.version = v.name AND d.method IS NULL)`,
    );
    await schema.execute(
      `UPDATE portal_product_versions SET state = 'deprecated' WHERE state = 'current' AND EXISTS (
         SELECT 1 FROM portal_deprecations d WHERE d.product_id = portal_product_versions.product_id
           AND d.version = portal_product_versions.name AND d.method IS NULL AND d.state <> 'draft')`,
    );
  },
  async down() {
    // What the deprecations say stays true.
  },
});
