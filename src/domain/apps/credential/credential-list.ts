import { defineList } from '../../../database/index.js';
import { CREDENTIAL_DECODE, credentialFields, type CredentialRecord } from './credential.js';

const c = credentialFields('c');

/** Credentials of an app. Their status is not filtered: `expired` is the clock's doing and in no column. */
export const credentialList = defineList<CredentialRecord>({
  name: 'credentials',
  table: 'portal_credentials',
  alias: 'c',
  columns: c,
  decode: CREDENTIAL_DECODE,
  sorts: {
    id: { column: c.id, type: 'integer' },
    issued_at: { column: c.issuedAt, type: 'date' },
    expires_at: { column: c.expiresAt, type: 'date', nullable: true },
    created_at: { column: c.createdAt, type: 'date' },
    updated_at: { column: c.updatedAt, type: 'date' },
  },
  filters: {
    id: { column: c.id, type: 'integer' },
    issued_at: { column: c.issuedAt, type: 'date' },
    expires_at: { column: c.expiresAt, type: 'date', nullable: true },
    created_at: { column: c.createdAt, type: 'date' },
    updated_at: { column: c.updatedAt, type: 'date' },
  },
});
