export type { AboutPortal } from './about-portal.js';
export {
  MenuCreatedEvent,
  MenuDeletedEvent,
  MenuItemCreatedEvent,
  MenuItemDeletedEvent,
  MenuItemUpdatedEvent,
  MenuUpdatedEvent,
  SettingCreatedEvent,
  SettingDeletedEvent,
  SettingUpdatedEvent,
} from './events.js';
export {
  ITEM_VISIBILITIES,
  type ItemTranslations,
  type ItemVisibility,
  type MenuFacts,
  type MenuInput,
  type MenuItemInput,
  type MenuItemRecord,
  type MenuItemRow,
  type MenuRecord,
} from './menu.js';
export { MenuItemService, type ItemChange, type NewItem } from './menu-item-service.js';
export { DEFAULT_COLOUR, isColour } from './known-settings.js';
export { menuList } from './menu-list.js';
export { MenuService, type ListedMenu } from './menu-service.js';
export { SETTING_TYPES, type SettingRecord, type SettingType } from './setting.js';
export { settingList } from './setting-list.js';
export { SettingService, type SettingInput } from './setting-service.js';
export type { SiteParts } from './site-parts.js';
