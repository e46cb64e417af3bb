export type { AboutPortal } from './about-portal.js';
export { MenuCreatedEvent } from './events.js';
export {
  ITEM_VISIBILITIES,
  type ItemVisibility,
  type MenuInput,
  type MenuItemInput,
  type MenuItemRecord,
  type MenuRecord,
} from './menu.js';
export { MenuService, type SiteParts } from './menu-service.js';
export { PublicSettings } from './public-settings.js';
