import {
  defineEvent,
  defineEventBase,
  eventField,
  tellCreation,
  tellDeletion,
  withChanges,
  type Changes,
} from '../../core/index.js';
import type { AudienceRow } from './audience.js';
import type { CategoryRow } from './category.js';
import type { ChangelogEntryRow } from './changelog-entry.js';
import type { PlanRow } from './plans/plan.js';
import type { PlanVersion } from './plans/plan-version.js';
import type { Deprecation } from './versions/deprecation.js';
import type { ProductRecord } from './products/product.js';
import type { DocumentRevision } from './versions/document-revision.js';
import type { ProductVersion } from './versions/product-version.js';

const ProductEvent = defineEventBase(
  { product: eventField<ProductRecord>() },
  { subject: ({ product }) => ({ type: 'product', id: product.id, label: product.slug }) },
);

export class ProductCreatedEvent extends defineEvent(ProductEvent, 'product.created', tellCreation('product')) {}

/** `product` is the record after the change; `changes` includes categories, audiences, plans, tags and translations. */
export class ProductUpdatedEvent extends defineEvent(ProductEvent, 'product.updated', withChanges) {}

/**
 * The document was added, changed or removed; `before` and `after` are hashes. `version` is the one that it belongs to,
 * null for a product without versions; `document` is what the history keeps of the upload, null without one: removed, or
 * another version became the default.
 */
export class ProductSpecChangedEvent extends defineEvent(ProductEvent, 'product.spec_changed', {
  fields: {
    version: eventField<ProductVersion | null>(),
    document: eventField<DocumentRevision | null>(),
    before: eventField<string | null>(),
    after: eventField<string | null>(),
  },
}) {
  readonly changes: Changes = {
    spec: [this.before, this.after],
    ...(this.version && { version: [this.version.name, this.version.name] }),
    ...(this.document?.reason && { reason: [null, this.document.reason] }),
  };
}

const productVersion = { version: eventField<ProductVersion>() };

/** A version of a product was made; the first one takes over the document of the product. */
export class ProductVersionCreatedEvent extends defineEvent(ProductEvent, 'product.version_created', {
  fields: productVersion,
  ...tellCreation('version'),
}) {}

/** `version` is the record after the change: its state, its name, or whether it is the default. */
export class ProductVersionUpdatedEvent extends defineEvent(ProductEvent, 'product.version_updated', {
  fields: { ...productVersion, ...withChanges.fields },
}) {}

/** `version` is the record before the deletion, which a `within` listener can prevent by throwing. */
export class ProductVersionDeletedEvent extends defineEvent(ProductEvent, 'product.version_deleted', {
  fields: productVersion,
  ...tellDeletion('version'),
}) {}

/** `product` is the record before the deletion, which a `within` listener can prevent by throwing. */
export class ProductDeletedEvent extends defineEvent(ProductEvent, 'product.deleted', tellDeletion('product')) {}

const entry = { entry: eventField<ChangelogEntryRow>() };

/** An entry of the changelog was drafted. */
export class ChangeCreatedEvent extends defineEvent(ProductEvent, 'product.change_created', {
  fields: entry,
  ...tellCreation('entry'),
}) {}

/** `entry` is the record after the change, of a draft or of what readers see. */
export class ChangeUpdatedEvent extends defineEvent(ProductEvent, 'product.change_updated', {
  fields: { ...entry, ...withChanges.fields },
}) {}

/** Readers of the product see the entry from now on. It happens once for an entry. */
export class ChangePublishedEvent extends defineEvent(ProductEvent, 'product.change_published', {
  /** `hasNotice`: those whom it hits, and who watch the product, get a notice. */
  fields: { ...entry, hasNotice: eventField<boolean>() },
  changes: ({ entry }) => ({ status: ['draft', entry.status], kind: [null, entry.kind], name: [null, entry.name] }),
  facts: ({ product, entry: { id, kind, version, name } }) => ({
    ...{ product: product.slug, entry_id: id, kind, version, name },
  }),
}) {}

/** `entry` is the record before the deletion. */
export class ChangeDeletedEvent extends defineEvent(ProductEvent, 'product.change_deleted', {
  fields: entry,
  ...tellDeletion('entry'),
}) {}

const DeprecationEvent = defineEventBase(
  { product: eventField<ProductRecord>(), deprecation: eventField<Deprecation>() },
  {
    subject: ({ product }) => ({ type: 'product', id: product.id, label: product.slug }),
    facts: ({ product, deprecation }) => factsOf(product.slug, deprecation),
  },
);

function factsOf(product: string, { id, state, version, method, path, closes, ...deprecation }: Deprecation) {
  const { deprecatedAt, sunsetAt, replacementUrl, guideUrl } = deprecation;
  return {
    ...{ product, deprecation_id: id, state, version, method, path, closes },
    ...{ deprecated_at: deprecatedAt.toISOString(), sunset_at: sunsetAt?.toISOString() ?? null },
    ...{ replacement_url: replacementUrl, guide_url: guideUrl },
  };
}

/** The end of a product, a version or an operation was drafted. */
export class DeprecationCreatedEvent extends defineEvent(DeprecationEvent, 'product.deprecation_created', {
  ...tellCreation('deprecation'),
}) {}

/** `deprecation` is the record after the change, of a draft or of what callers are told. */
export class DeprecationUpdatedEvent extends defineEvent(
  DeprecationEvent,
  'product.deprecation_updated',
  withChanges,
) {}

/** A deprecation became visible to readers and callers; once for each. */
export class DeprecationAnnouncedEvent extends defineEvent(DeprecationEvent, 'product.deprecation_announced', {
  /** Whether those whom it hits get a notice. */
  fields: { hasNotice: eventField<boolean>() },
  changes: ({ deprecation: { version, method, path, sunsetAt }, hasNotice }) => ({
    ...{ state: ['draft', 'announced'], version: [null, version], method: [null, method], path: [null, path] },
    ...{ sunsetAt: [null, sunsetAt], notice: [null, hasNotice] },
  }),
}) {}

/** The sunset came of something that an admin has to end: admins who may are mailed, keys are not refused yet. */
export class DeprecationSunsetReachedEvent extends defineEvent(DeprecationEvent, 'product.sunset_reached', {
  changes: ({ deprecation: { sunsetAt } }) => ({ sunsetAt: [sunsetAt, sunsetAt] }),
}) {}

/** A product, a version or an operation has ended: keys are refused. */
export class DeprecationRetiredEvent extends defineEvent(DeprecationEvent, 'product.deprecation_retired', {
  changes: ({ deprecation: { version, method, path } }) => ({
    ...{ state: ['announced', 'retired'], version: [null, version], method: [null, method], path: [null, path] },
  }),
}) {}

/** `deprecation` is the record before the deletion; what it closed is open again. */
export class DeprecationDeletedEvent extends defineEvent(DeprecationEvent, 'product.deprecation_deleted', {
  ...tellDeletion('deprecation'),
}) {}

const CategoryEvent = defineEventBase(
  { category: eventField<CategoryRow>() },
  { subject: ({ category }) => ({ type: 'category', id: category.id, label: category.slug }) },
);

export class CategoryCreatedEvent extends defineEvent(CategoryEvent, 'category.created', tellCreation('category')) {}

/** `category` is the record after the change. */
export class CategoryUpdatedEvent extends defineEvent(CategoryEvent, 'category.updated', withChanges) {}

export class CategoryDeletedEvent extends defineEvent(CategoryEvent, 'category.deleted', tellDeletion('category')) {}

const AudienceEvent = defineEventBase(
  { audience: eventField<AudienceRow>() },
  { subject: ({ audience }) => ({ type: 'audience', id: audience.id, label: audience.name }) },
);

export class AudienceCreatedEvent extends defineEvent(AudienceEvent, 'audience.created', tellCreation('audience')) {}

/** `audience` is the record after the change; `changes` includes products. */
export class AudienceUpdatedEvent extends defineEvent(AudienceEvent, 'audience.updated', withChanges) {}

export class AudienceDeletedEvent extends defineEvent(AudienceEvent, 'audience.deleted', tellDeletion('audience')) {}

// Only the ids of those who joined or left: an audience may be large.
const members = { fields: { userIds: eventField<readonly number[]>() } };

/** Developers joined an audience and can now see its private products. */
export class AudienceMembersAddedEvent extends defineEvent(AudienceEvent, 'audience.members_added', members) {
  readonly changes: Changes = { users: [[], this.userIds] };
}

/** Developers left an audience, which hides its private products from them. Their keys keep access. */
export class AudienceMembersRemovedEvent extends defineEvent(AudienceEvent, 'audience.members_removed', members) {
  readonly changes: Changes = { users: [this.userIds, []] };
}

const PlanEvent = defineEventBase(
  { plan: eventField<PlanRow>() },
  { subject: ({ plan }) => ({ type: 'plan', id: plan.id, label: plan.slug }) },
);

export class PlanCreatedEvent extends defineEvent(PlanEvent, 'plan.created', tellCreation('plan')) {}

/** `plan` is the record after the change, archived and restored ones included. */
export class PlanUpdatedEvent extends defineEvent(PlanEvent, 'plan.updated', withChanges) {}

/** `plan` is the record before the deletion, which a `within` listener can prevent by throwing. */
export class PlanDeletedEvent extends defineEvent(PlanEvent, 'plan.deleted', tellDeletion('plan')) {}

const version = { version: eventField<PlanVersion>() };

export class PlanVersionCreatedEvent extends defineEvent(PlanEvent, 'plan.version_created', {
  fields: version,
  ...tellCreation('version'),
}) {}

/** A version that was never active was changed. */
export class PlanVersionUpdatedEvent extends defineEvent(PlanEvent, 'plan.version_updated', {
  fields: { ...version, ...withChanges.fields },
}) {}

/** New keys get this version from now on; `before` is the number of the one that they got until now. */
export class PlanVersionActivatedEvent extends defineEvent(PlanEvent, 'plan.version_activated', {
  fields: { ...version, before: eventField<number | null>() },
  changes: ({ version, before }) => ({ activeVersion: [before, version.number] }),
}) {}
