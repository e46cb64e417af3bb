import { defineEvent, defineEventBase, eventField, tellCreation, tellDeletion, withChanges } from '../../core/index.js';
import type { AdminBanner } from './banner.js';
import type { AdminGuide } from './guide.js';

const GuideEvent = defineEventBase(
  {
    /** After the change, or before a deletion. */
    guide: eventField<AdminGuide>(),
  },
  { subject: ({ guide }) => ({ type: 'guide', id: guide.id, label: guide.slug }) },
);

/** A guide or news was written, or its file was read for the first time. */
export class GuideCreatedEvent extends defineEvent(GuideEvent, 'guide.created', tellCreation('guide')) {}

/** `guide` is the record after the change; `changes` includes audiences and translations. */
export class GuideUpdatedEvent extends defineEvent(GuideEvent, 'guide.updated', withChanges) {}

/** Readers see what was a draft from now on; it follows the event of the change that did it. */
export class GuidePublishedEvent extends defineEvent(GuideEvent, 'guide.published', {
  changes: ({ guide }) => ({ visibility: ['draft', guide.visibility], name: [null, guide.name] }),
}) {}

/** `guide` is the record before the deletion. */
export class GuideDeletedEvent extends defineEvent(GuideEvent, 'guide.deleted', tellDeletion('guide')) {}

const BannerEvent = defineEventBase(
  {
    /** After the change, or before a deletion. */
    banner: eventField<AdminBanner>(),
  },
  { subject: ({ banner }) => ({ type: 'banner', id: banner.id, label: banner.name }) },
);

/** Readers see it once its time has come. */
export class BannerCreatedEvent extends defineEvent(BannerEvent, 'banner.created', tellCreation('banner')) {}

/** `banner` is the record after the change; `changes` includes translations. */
export class BannerUpdatedEvent extends defineEvent(BannerEvent, 'banner.updated', withChanges) {}

/** `banner` is the record before the deletion. */
export class BannerDeletedEvent extends defineEvent(BannerEvent, 'banner.deleted', tellDeletion('banner')) {}
