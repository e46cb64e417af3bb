import {
  DataTypes,
  defineModel,
  TIMESTAMP,
  type CreationOptional,
  type InferAttributes,
  type InferCreationAttributes,
  type Model,
} from '../../database/index.js';

export const SETTING_TYPES = ['string', 'integer', 'float', 'boolean', 'json', 'secret'] as const;
export type SettingType = (typeof SETTING_TYPES)[number];

/** What stands for a secret wherever one is shown. */
export const MASK = '********';

/** A value that a host or an admin keeps in the portal. It never overrides the configuration (S61): nothing reads both. */
export interface SettingRecord {
  readonly id: number;
  readonly key: string;
  /** Of its type; {@link MASK} for a secret that is set. */
  readonly value: unknown;
  readonly type: SettingType;
  readonly label: string;
  readonly group: string;
  /** Part of the public configuration. */
  readonly isPublic: boolean;
  /** What holds without a value, and one sentence; both null for a setting that only the host reads. */
  readonly default: string | null;
  readonly description: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The same with its value as it is stored: a secret encrypted, everything else as text. */
export interface SettingRow extends Omit<SettingRecord, 'value' | 'default' | 'description'> {
  readonly stored: string | null;
}

/** Row of `portal_settings`. */
export interface Setting extends Model<InferAttributes<Setting>, InferCreationAttributes<Setting>> {
  id: CreationOptional<number>;
  settingKey: string;
  value: string | null;
  type: SettingType;
  label: string;
  settingGroup: string;
  isPublic: boolean;
  createdAt: Date;
  updatedAt: Date;
}

export const settingModel = defineModel<Setting>('Setting', 'portal_settings', {
  id: { type: DataTypes.BIGINT, primaryKey: true, autoIncrement: true },
  settingKey: DataTypes.STRING(100),
  value: DataTypes.TEXT,
  type: DataTypes.STRING(16),
  label: DataTypes.STRING(200),
  settingGroup: DataTypes.STRING(100),
  isPublic: DataTypes.BOOLEAN,
  createdAt: TIMESTAMP,
  updatedAt: TIMESTAMP,
});

/** Field of a {@link SettingRow} → SQL over the alias `s`; decode with {@link SETTING_DECODE}. */
export const SETTING_FIELDS = {
  id: 's.id',
  key: 's.setting_key',
  stored: 's.value',
  type: 's.type',
  label: 's.label',
  group: 's.setting_group',
  isPublic: 's.is_public',
  createdAt: 's.created_at',
  updatedAt: 's.updated_at',
} as const satisfies Record<keyof SettingRow, string>;

export const SETTING_DECODE = { isPublic: 'boolean', createdAt: 'date', updatedAt: 'date' } as const;

/** Where the encrypted value of a secret belongs (S71). */
export function secretContext(id: number): string {
  return `portal_settings:${id}:value`;
}
