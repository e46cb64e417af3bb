import { PortalEvent } from '../../kernel/index.js';
import type { Changes } from '../accounts/index.js';
import type { AudienceRecord } from './audience.js';
import type { CategoryRow } from './category.js';
import type { ProductRecord } from './product.js';

interface ProductFact {
  readonly product: ProductRecord;
  readonly occurredAt: Date;
}

abstract class ProductEvent extends PortalEvent {
  readonly product: ProductRecord;

  constructor({ product, occurredAt }: ProductFact) {
    super(occurredAt);
    this.product = product;
  }
}

export class ProductCreatedEvent extends ProductEvent {}

/** `product` is the record after the change; `changes` also tells of categories, audiences, tags and translations. */
export class ProductUpdatedEvent extends ProductEvent {
  readonly changes: Changes;

  constructor(fact: ProductFact & { readonly changes: Changes }) {
    super(fact);
    this.changes = fact.changes;
  }
}

/** A document came, changed or went; `before` and `after` are hashes. */
export class ProductSpecChangedEvent extends ProductEvent {
  readonly before: string | null;
  readonly after: string | null;

  constructor(fact: ProductFact & { readonly before: string | null; readonly after: string | null }) {
    super(fact);
    this.before = fact.before;
    this.after = fact.after;
  }
}

export class CategoryCreatedEvent extends PortalEvent {
  readonly category: CategoryRow;

  constructor(fact: { readonly category: CategoryRow; readonly occurredAt: Date }) {
    super(fact.occurredAt);
    this.category = fact.category;
  }
}

export class AudienceCreatedEvent extends PortalEvent {
  readonly audience: AudienceRecord;

  constructor(fact: { readonly audience: AudienceRecord; readonly occurredAt: Date }) {
    super(fact.occurredAt);
    this.audience = fact.audience;
  }
}

/** Developers joined an audience and see its private products from now on. */
export class AudienceMembersAddedEvent extends PortalEvent {
  readonly audience: AudienceRecord;
  readonly userIds: readonly number[];

  constructor(fact: {
    readonly audience: AudienceRecord;
    readonly userIds: readonly number[];
    readonly occurredAt: Date;
  }) {
    super(fact.occurredAt);
    this.audience = fact.audience;
    this.userIds = fact.userIds;
  }
}
