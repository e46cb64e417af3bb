import { defineList } from '../../../database/index.js';
import { APP_DECODE, appFields, type AppRecord } from './app.js';

const a = appFields('a');

/** Apps of a developer, and of all developers for admins. */
export const appList = defineList<AppRecord>({
  name: 'apps',
  table: 'portal_apps',
  alias: 'a',
  columns: a,
  decode: APP_DECODE,
  sorts: {
    id: { column: a.id, type: 'integer' },
    // In lower case, as it is unique for a developer.
    name: { column: 'a.name_key', type: 'string', unique: true },
    display_name: { column: a.displayName, type: 'string' },
    status: { column: a.status, type: 'string' },
    created_at: { column: a.createdAt, type: 'date' },
    updated_at: { column: a.updatedAt, type: 'date' },
  },
  filters: {
    id: { column: a.id, type: 'integer' },
    name: { column: a.name, type: 'string' },
    display_name: { column: a.displayName, type: 'string' },
    status: { column: a.status, type: 'string' },
    created_at: { column: a.createdAt, type: 'date' },
    updated_at: { column: a.updatedAt, type: 'date' },
  },
  search: [a.name, a.displayName],
  relations: ['credentials', 'products'],
});
