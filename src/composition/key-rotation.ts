import {
  reEncryptColumn,
  sampleColumn,
  type ReEncryptReport,
  type SealedColumn,
  type SealedSample,
} from '../database/index.js';
import type { DomainBase } from './base.js';

/** Every column that is encrypted with a key derived from `app.key`; modules declare theirs. */
const COLUMNS: readonly SealedColumn[] = [
  { table: 'portal_gateway_keys', key: 'id', column: 'key_sealed' },
  { table: 'portal_gateway_keys', key: 'id', column: 'secret_sealed' },
  { table: 'portal_credentials', key: 'id', column: 'gateway_key_ref' },
  { table: 'portal_settings', key: 'id', column: 'value', where: "type = 'secret'" },
  { table: 'portal_mails', key: 'uuid', column: 'payload' },
  { table: 'portal_idempotency_keys', key: 'id', column: 'answer' },
  { table: 'portal_one_time_values', key: 'id', column: 'sealed' },
  { table: 'portal_idempotency_keys', key: 'id', column: 'made' },
];

/** Re-encrypts everything with the newest `app.key`; afterwards no earlier one is needed. */
export async function reEncryptAll(base: DomainBase): Promise<ReEncryptReport[]> {
  const reports: ReEncryptReport[] = [];
  for (const column of columnsOf(base)) reports.push(await reEncryptColumn(base.database, base.encrypter, column));
  return reports;
}

/** Decrypts a few values of each column, to tell whether `app.key` is the key they were written with. */
export async function sampleSealed(base: DomainBase): Promise<SealedSample[]> {
  const samples: SealedSample[] = [];
  for (const column of columnsOf(base)) samples.push(await sampleColumn(base.database, base.encrypter, column));
  return samples;
}

function columnsOf({ modules }: DomainBase): readonly SealedColumn[] {
  return [...COLUMNS, ...modules.flatMap(({ sealed = [] }) => sealed)];
}
