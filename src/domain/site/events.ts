import { defineEvent, defineEventBase, eventField, tellCreation, tellDeletion, withChanges } from '../../core/index.js';
import type { MenuFacts, MenuItemRow } from './menu.js';
import type { SettingRecord } from './setting.js';

const MenuEvent = defineEventBase(
  {
    /** After the change, or before a deletion. */
    menu: eventField<MenuFacts>(),
  },
  { subject: ({ menu }) => ({ type: 'menu', id: menu.id, label: menu.slug }) },
);

export class MenuCreatedEvent extends defineEvent(MenuEvent, 'menu.created', tellCreation('menu')) {}

export class MenuUpdatedEvent extends defineEvent(MenuEvent, 'menu.updated', withChanges) {}

/** Its items are deleted without events of their own. */
export class MenuDeletedEvent extends defineEvent(MenuEvent, 'menu.deleted', tellDeletion('menu')) {}

const MenuItemEvent = defineEventBase(
  { menu: eventField<MenuFacts>(), item: eventField<MenuItemRow>() },
  { subject: ({ item }) => ({ type: 'menu_item', id: item.id, label: item.label }) },
);

export class MenuItemCreatedEvent extends defineEvent(MenuItemEvent, 'menu_item.created', tellCreation('item')) {}

/** Not emitted for items that were merely shifted. */
export class MenuItemUpdatedEvent extends defineEvent(MenuItemEvent, 'menu_item.updated', withChanges) {}

/** One for every deleted item. */
export class MenuItemDeletedEvent extends defineEvent(MenuItemEvent, 'menu_item.deleted', tellDeletion('item')) {}

const SettingEvent = defineEventBase(
  {
    /** After the change, or before a deletion. Secrets are masked, also in `changes`. */
    setting: eventField<SettingRecord>(),
  },
  {
    subject: ({ setting }) => ({ type: 'setting', id: setting.id, label: setting.key }),
    isSecret: ({ setting }) => setting.type === 'secret',
  },
);

export class SettingCreatedEvent extends defineEvent(SettingEvent, 'setting.created', tellCreation('setting')) {}

export class SettingUpdatedEvent extends defineEvent(SettingEvent, 'setting.updated', withChanges) {}

export class SettingDeletedEvent extends defineEvent(SettingEvent, 'setting.deleted', tellDeletion('setting')) {}
