import { column, defineMigration } from '../../index.js';

// Accounts are developers or admins, so there is no foreign key; a listener removes their rows.
const owner = { context: column.code(16), account_id: column.bigint() };

/** Only run where the module is installed. */
export const mfaMigrations = {
  '20260107000100-create-mfa-factors': defineMigration({
    async up(schema) {
      await schema.createTable('portal_mfa_factors', {
        columns: {
          id: column.id(),
          ...owner,
          type: column.code(16),
          secret: column.text({ nullable: true }),
          last_step: column.bigint({ nullable: true }),
          confirmed_at: column.datetime({ nullable: true }),
          pending_secret: column.text({ nullable: true }),
          pending_until: column.datetime({ nullable: true }),
          ...column.timestamps(),
        },
        unique: [['context', 'account_id', 'type']],
      });
    },
    async down(schema) {
      await schema.dropTable('portal_mfa_factors');
    },
  }),
  '20260107000200-create-mfa-recovery-codes': defineMigration({
    async up(schema) {
      await schema.createTable('portal_mfa_recovery_codes', {
        columns: {
          id: column.id(),
          ...owner,
          selector: column.code(4),
          code_hash: column.code(255),
          used_at: column.datetime({ nullable: true }),
          created_at: column.datetime(),
        },
        unique: [['context', 'account_id', 'selector']],
      });
    },
    async down(schema) {
      await schema.dropTable('portal_mfa_recovery_codes');
    },
  }),
  '20260107000300-create-mfa-challenges': defineMigration({
    async up(schema) {
      await schema.createTable('portal_mfa_challenges', {
        columns: {
          id: column.id(),
          token_hash: column.key(64),
          purpose: column.code(16),
          ...owner,
          auth_epoch: column.integer(),
          code_hash: column.key(64, { nullable: true }),
          code_sent_at: column.datetime({ nullable: true }),
          code_sends: column.integer({ default: 0 }),
          used_at: column.datetime({ nullable: true }),
          expires_at: column.datetime(),
          created_at: column.datetime(),
        },
        unique: [['token_hash']],
        indexes: [['context', 'account_id'], ['expires_at']],
      });
    },
    async down(schema) {
      await schema.dropTable('portal_mfa_challenges');
    },
  }),
};
