import type { SettingRecord } from '../../domain/site/index.js';

export function presentSetting(setting: SettingRecord) {
  return {
    id: setting.id,
    key: setting.key,
    value: setting.value,
    type: setting.type,
    label: setting.label,
    group: setting.group,
    public: setting.isPublic,
    default: setting.default,
    description: setting.description,
    created_at: setting.createdAt,
    updated_at: setting.updatedAt,
  };
}
