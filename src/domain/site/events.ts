import { PortalEvent, type Changes } from '../../core/index.js';
import type { MenuFacts, MenuItemRow } from './menu.js';
import type { SettingRecord } from './setting.js';

interface MenuFact {
  readonly menu: MenuFacts;
  readonly occurredAt: Date;
}

interface Changed {
  readonly changes: Changes;
}

abstract class MenuEvent extends PortalEvent {
  /** After the change; of a deletion, as it was. */
  readonly menu: MenuFacts;

  constructor({ menu, occurredAt }: MenuFact) {
    super(occurredAt);
    this.menu = menu;
  }
}

export class MenuCreatedEvent extends MenuEvent {}

export class MenuUpdatedEvent extends MenuEvent {
  readonly changes: Changes;

  constructor(fact: MenuFact & Changed) {
    super(fact);
    this.changes = fact.changes;
  }
}

/** Its items went with it, without events of their own. */
export class MenuDeletedEvent extends MenuEvent {}

interface MenuItemFact extends MenuFact {
  readonly item: MenuItemRow;
}

abstract class MenuItemEvent extends MenuEvent {
  readonly item: MenuItemRow;

  constructor(fact: MenuItemFact) {
    super(fact);
    this.item = fact.item;
  }
}

export class MenuItemCreatedEvent extends MenuItemEvent {}

/** Items that only made room for it have no event. */
export class MenuItemUpdatedEvent extends MenuItemEvent {
  readonly changes: Changes;

  constructor(fact: MenuItemFact & Changed) {
    super(fact);
    this.changes = fact.changes;
  }
}

/** One for every item that went. */
export class MenuItemDeletedEvent extends MenuItemEvent {}

interface SettingFact {
  readonly setting: SettingRecord;
  readonly occurredAt: Date;
}

abstract class SettingEvent extends PortalEvent {
  /** After the change; of a deletion, as it was. Secrets are masked. */
  readonly setting: SettingRecord;

  constructor({ setting, occurredAt }: SettingFact) {
    super(occurredAt);
    this.setting = setting;
  }
}

export class SettingCreatedEvent extends SettingEvent {}

export class SettingUpdatedEvent extends SettingEvent {
  /** Secrets are masked, before and after. */
  readonly changes: Changes;

  constructor(fact: SettingFact & Changed) {
    super(fact);
    this.changes = fact.changes;
  }
}

export class SettingDeletedEvent extends SettingEvent {}
