import { defineList, defineRecord, fieldOf, type RowOf } from '../../database/index.js';
import type { ChangeKind } from '../catalog/index.js';

/** When the first notice of a change is sent; later ones are named by the days that are left and the sunset. */
export const PUBLISHED = 'published';

/** Notice of a change to those it affects, once for each stage. */
export const changeNoticeRecord = defineRecord({
  name: 'ChangeNotice',
  table: 'portal_change_notices',
  alias: 'cn',
  fields: {
    id: fieldOf.id(),
    productId: fieldOf.reference(),
    kind: fieldOf.text<ChangeKind>(16),
    entryId: fieldOf.reference().nullable(),
    deprecationId: fieldOf.reference().nullable(),
    stage: fieldOf.text(32),
    /** Days until the sunset, of a reminder. */
    daysLeft: fieldOf.integer().nullable(),
    state: fieldOf.text<'queued' | 'done'>(16),
    createdAt: fieldOf.time(),
  },
});

export type ChangeNotice = RowOf<typeof changeNoticeRecord>;

/** An app of the reader that a change hits. */
export interface HitApp {
  readonly id: number;
  readonly name: string;
}

/** What one developer was told, for the portal's pages. */
export const noticeRecord = defineRecord({
  name: 'Notice',
  table: 'portal_notices',
  alias: 'n',
  fields: {
    id: fieldOf.id(),
    userId: fieldOf.reference(),
    changeNoticeId: fieldOf.reference(),
    apps: fieldOf.json<readonly HitApp[]>(),
    createdAt: fieldOf.time(),
    readAt: fieldOf.time().nullable(),
    /** Null if it was mailed by itself, or is not to be mailed. */
    digest: fieldOf.text<'waiting' | 'sent'>(16).nullable(),
  },
});

export type Notice = RowOf<typeof noticeRecord>;

/** The notices of a developer, the latest first. */
export const noticeList = defineList<Notice>({
  ...noticeRecord.list({ name: 'notices', sorts: ['createdAt'], filters: ['id', 'readAt', 'createdAt'] }),
  defaultSort: 'created_at',
});

/** Of which kinds of changes a developer wants to hear; without a row of those that hit their apps. */
export const watchRecord = defineRecord({
  name: 'ProductWatch',
  table: 'portal_product_watches',
  alias: 'w',
  fields: {
    userId: fieldOf.reference().key(),
    productId: fieldOf.reference().key(),
    kinds: fieldOf.json<readonly ChangeKind[]>(),
    updatedAt: fieldOf.time(),
  },
});

/** That an app has moved on from what ends. */
export const acknowledgementRecord = defineRecord({
  name: 'DeprecationAcknowledgement',
  table: 'portal_deprecation_acknowledgements',
  alias: 'k',
  fields: {
    deprecationId: fieldOf.reference().key(),
    appId: fieldOf.reference().key(),
    acknowledgedAt: fieldOf.time(),
  },
});
