import { defineList, defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';

export const SETTING_TYPES = ['string', 'integer', 'float', 'boolean', 'json', 'secret'] as const;
export type SettingType = (typeof SETTING_TYPES)[number];

/** Shown in place of a secret. */
export const SECRET_MASK = '********';

export const settingRecord = defineRecord({
  name: 'Setting',
  table: 'portal_settings',
  alias: 's',
  noun: 'setting',
  fields: {
    id: fieldOf.id(),
    key: fieldOf.text(100).named('setting_key').unique(),
    /** The value: a secret encrypted, everything else as text. */
    stored: fieldOf.longText().named('value').nullable(),
    type: fieldOf.text<SettingType>(16),
    label: fieldOf.text(200),
    group: fieldOf.text(100).named('setting_group'),
    /** Part of the public configuration. */
    isPublic: fieldOf.boolean(),
    /** Hash of the uploaded file that the value names. */
    file: fieldOf.text(64).nullable().hidden(),
    ...times,
  },
});

/** A setting with its stored value. */
export type SettingRow = RowOf<typeof settingRecord>;

/**
 * A value that a host or an admin stores in the portal. It never overrides the configuration (S61): nothing reads both.
 */
export interface SettingRecord extends Omit<SettingRow, 'stored'> {
  /** Of its type; {@link SECRET_MASK} for a secret that is set. */
  readonly value: unknown;
  /** Effective value while none is set, and one sentence; both null for a setting that only the host reads. */
  readonly default: string | null;
  readonly description: string | null;
}

/** Settings as admins list them. Values cannot be sorted or filtered: the order of secrets would leak them (S53). */
export const settingList = defineList<SettingRow>(
  settingRecord.list({
    name: 'settings',
    sorts: ['id', 'key', 'group', 'type', 'label', 'createdAt', 'updatedAt'],
    moreFilters: { public: settingRecord.describeColumn('isPublic') },
    search: ['key', 'label'],
  }),
);

/** Encryption context of a setting's secret (S71). */
export function settingSecretContext(id: number): string {
  return `portal_settings:${id}:value`;
}
