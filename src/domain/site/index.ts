export { createSiteServices, type AboutPortal, type SiteServices } from './site-services.js';
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
  menuList,
  type ItemTranslations,
  type ItemVisibility,
  type MenuFacts,
  type MenuInput,
  type MenuItemInput,
  type MenuItemRecord,
  type MenuItemRow,
  type MenuRecord,
} from './menu.js';
export type { ItemChange, NewItem } from './menu-item-service.js';
export { DEFAULT_COLOUR, isColour } from './known-settings.js';
export { MenuService, type ListedMenu } from './menu-service.js';
export { SETTING_TYPES, settingList, type SettingRecord, type SettingType } from './setting.js';
export { SettingService, type SettingInput } from './setting-service.js';
export type { SiteParts } from './site-parts.js';
