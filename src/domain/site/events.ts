import { PortalEvent } from '../../kernel/index.js';

export class MenuCreatedEvent extends PortalEvent {
  readonly menu: { readonly id: number; readonly slug: string; readonly name: string };

  constructor(fact: { readonly menu: MenuCreatedEvent['menu']; readonly occurredAt: Date }) {
    super(fact.occurredAt);
    this.menu = fact.menu;
  }
}
