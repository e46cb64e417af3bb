import { defineList } from '../../database/index.js';
import { SETTING_DECODE, SETTING_FIELDS as s, type SettingRow } from './setting.js';

const columns = {
  id: { column: s.id, type: 'integer' },
  key: { column: s.key, type: 'string', unique: true },
  group: { column: s.group, type: 'string' },
  type: { column: s.type, type: 'string' },
  label: { column: s.label, type: 'string' },
  created_at: { column: s.createdAt, type: 'date' },
  updated_at: { column: s.updatedAt, type: 'date' },
} as const;

/** Settings as admins list them. Values are neither sorted nor filtered: the order of secrets would tell them (S53). */
export const settingList = defineList<SettingRow>({
  name: 'settings',
  table: 'portal_settings',
  alias: 's',
  columns: s,
  decode: SETTING_DECODE,
  sorts: columns,
  filters: { ...columns, public: { column: s.isPublic, type: 'boolean' } },
  search: [s.key, s.label],
});
