import { PortalEvent } from '../../core/index.js';
import type { Changes } from '../accounts/index.js';
import type { AudienceRow } from './audience.js';
import type { CategoryRow } from './category.js';
import type { ProductRecord } from './products/product.js';

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
  readonly changes: Changes;

  constructor(fact: ProductFact & { readonly before: string | null; readonly after: string | null }) {
    super(fact);
    this.before = fact.before;
    this.after = fact.after;
    this.changes = { spec: [fact.before, fact.after] };
  }
}

/** `product` is the record as it was; a `within` listener that throws keeps it. */
export class ProductDeletedEvent extends ProductEvent {}

interface CategoryFact {
  readonly category: CategoryRow;
  readonly occurredAt: Date;
}

abstract class CategoryEvent extends PortalEvent {
  readonly category: CategoryRow;

  constructor({ category, occurredAt }: CategoryFact) {
    super(occurredAt);
    this.category = category;
  }
}

export class CategoryCreatedEvent extends CategoryEvent {}

/** `category` is the record after the change. */
export class CategoryUpdatedEvent extends CategoryEvent {
  readonly changes: Changes;

  constructor(fact: CategoryFact & { readonly changes: Changes }) {
    super(fact);
    this.changes = fact.changes;
  }
}

export class CategoryDeletedEvent extends CategoryEvent {}

interface AudienceFact {
  readonly audience: AudienceRow;
  readonly occurredAt: Date;
}

abstract class AudienceEvent extends PortalEvent {
  readonly audience: AudienceRow;

  constructor({ audience, occurredAt }: AudienceFact) {
    super(occurredAt);
    this.audience = audience;
  }
}

export class AudienceCreatedEvent extends AudienceEvent {}

/** `audience` is the record after the change; `changes` also tells of products. */
export class AudienceUpdatedEvent extends AudienceEvent {
  readonly changes: Changes;

  constructor(fact: AudienceFact & { readonly changes: Changes }) {
    super(fact);
    this.changes = fact.changes;
  }
}

export class AudienceDeletedEvent extends AudienceEvent {}

interface MembersFact extends AudienceFact {
  readonly userIds: readonly number[];
}

/** Developers joined an audience and see its private products from now on. */
export class AudienceMembersAddedEvent extends AudienceEvent {
  readonly userIds: readonly number[];
  /** Ids of the ones who joined only: an audience may be large. */
  readonly changes: Changes;

  constructor(fact: MembersFact) {
    super(fact);
    this.userIds = fact.userIds;
    this.changes = { users: [[], fact.userIds] };
  }
}

/** Developers left an audience; its private products are hidden from them. What their keys open stays open. */
export class AudienceMembersRemovedEvent extends AudienceEvent {
  readonly userIds: readonly number[];
  readonly changes: Changes;

  constructor(fact: MembersFact) {
    super(fact);
    this.userIds = fact.userIds;
    this.changes = { users: [fact.userIds, []] };
  }
}
