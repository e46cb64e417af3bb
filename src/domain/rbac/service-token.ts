import {
  defineList,
  defineRecord,
  fieldOf,
  findJoined,
  times,
  type Database,
  type RowOf,
  type Transaction,
} from '../../database/index.js';
import { permissionRecord } from './permission.js';

export const PERMISSIONS_OF_TOKEN = {
  table: 'portal_service_token_permissions',
  owner: 'token_id',
  key: 'permission_id',
};
/** The service tokens that hold a permission. */
export const TOKENS_WITH_IT = { table: 'portal_service_token_permissions', owner: 'permission_id', key: 'token_id' };

export const serviceTokenRecord = defineRecord({
  name: 'ServiceToken',
  table: 'portal_service_tokens',
  alias: 's',
  fields: {
    id: fieldOf.id(),
    /** One that works has a name of its own; revoked ones may share it. */
    name: fieldOf.text(100),
    /** SHA-256 of the token, in hexadecimal. A token has 256 random bits, so that nobody can find it by trying. */
    tokenHash: fieldOf.text(64).hidden(),
    /** Last four characters of the token, by which people tell it from others. */
    ending: fieldOf.text(8),
    /** The admin who made it; null for the operator at the command line. */
    createdBy: fieldOf.reference().nullable(),
    /** null: never. */
    expiresAt: fieldOf.time().nullable(),
    /** To the minute. */
    lastUsedAt: fieldOf.time().nullable(),
    revokedAt: fieldOf.time().nullable(),
    ...times,
  },
});

export type ServiceTokenRow = RowOf<typeof serviceTokenRecord>;

/** The account of a machine, without its token, with the names of its permissions in alphabetical order. */
export interface ServiceTokenRecord extends ServiceTokenRow {
  readonly permissions: readonly string[];
}

/** Service tokens as admins list them; their permissions are loaded for each page. */
export const serviceTokenList = defineList<ServiceTokenRow>(
  serviceTokenRecord.list({
    name: 'service-tokens',
    sorts: ['id', 'name', 'createdAt', 'updatedAt'],
    search: ['name'],
    relations: ['permissions'],
  }),
);

/** Adds their permissions to service tokens, in one query. */
export async function withTokenPermissions(
  database: Database,
  tokens: readonly ServiceTokenRow[],
  transaction?: Transaction,
): Promise<ServiceTokenRecord[]> {
  const ids = tokens.map(({ id }) => id);
  const options = { only: ['name'], order: 'p.name', transaction } as const;
  const found = await findJoined(database, PERMISSIONS_OF_TOKEN, permissionRecord, ids, options);
  return tokens.map((token) => ({ ...token, permissions: (found.get(token.id) ?? []).map(({ name }) => name) }));
}

/** Whether it works: `expired` and `revoked` ones never do again. */
export type ServiceTokenState = 'active' | 'expired' | 'revoked';

export function stateOfToken(
  { revokedAt, expiresAt }: Pick<ServiceTokenRow, 'revokedAt' | 'expiresAt'>,
  now: Date,
): ServiceTokenState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}
