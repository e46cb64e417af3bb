import { resealColumn, type ResealReport, type SealedColumn } from '../../database/index.js';
import type { DomainBase } from '../base.js';

/** Everything that is encrypted with a key derived from `app.key`; modules name theirs. */
const COLUMNS: readonly SealedColumn[] = [
  { table: 'portal_gateway_keys', key: 'id', column: 'key_sealed' },
  { table: 'portal_gateway_keys', key: 'id', column: 'secret_sealed' },
  { table: 'portal_credentials', key: 'id', column: 'gateway_key_ref' },
  { table: 'portal_settings', key: 'id', column: 'value', where: "type = 'secret'" },
  { table: 'portal_mails', key: 'uuid', column: 'payload' },
  { table: 'portal_idempotency_keys', key: 'id', column: 'answer' },
];

/** Encrypts everything with the newest `app.key`; afterwards no earlier one is needed to read it. */
export async function resealAll({ database, encrypter, modules }: DomainBase): Promise<ResealReport[]> {
  const reports: ResealReport[] = [];
  for (const column of [...COLUMNS, ...modules.flatMap(({ sealed = [] }) => sealed)]) {
    reports.push(await resealColumn(database, encrypter, column));
  }
  return reports;
}
