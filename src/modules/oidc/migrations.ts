import { column, defineMigration } from '../../index.js';

/** Only run where the module is installed. */
export const oidcMigrations = {
  '20260107001100-create-oidc-transactions': defineMigration({
    async up(schema) {
      await schema.createTable('portal_oidc_transactions', {
        columns: {
          id: column.id(),
          state_hash: column.key(64),
          browser_hash: column.key(64),
          context: column.code(16),
          channel: column.code(8),
          provider: column.code(32),
          // Encrypted, since nonce, verifier and addresses would help a thief of the row.
          details: column.text(),
          expires_at: column.datetime(),
          created_at: column.datetime(),
        },
        unique: [['state_hash']],
        indexes: [['expires_at']],
      });
    },
    async down(schema) {
      await schema.dropTable('portal_oidc_transactions');
    },
  }),
  '20260107001200-create-oidc-identities': defineMigration({
    async up(schema) {
      await schema.createTable('portal_oidc_identities', {
        columns: {
          id: column.id(),
          context: column.code(16),
          account_id: column.bigint(),
          // A hash of issuer and subject, whose length is unbounded and whose comparison differs between databases.
          identity_hash: column.key(64),
          provider: column.code(32),
          issuer: column.text(),
          subject: column.text(),
          email: column.code(254, { nullable: true }),
          created_at: column.datetime(),
        },
        unique: [
          ['context', 'identity_hash'],
          ['context', 'account_id', 'provider'],
        ],
      });
    },
    async down(schema) {
      await schema.dropTable('portal_oidc_identities');
    },
  }),
};
