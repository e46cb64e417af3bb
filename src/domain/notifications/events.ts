import { defineEvent, defineEventBase, eventField } from '../../core/index.js';
import type { AppRecord } from '../apps/index.js';
import type { ChangeKind } from '../catalog/index.js';

/** Whom a mail reaches is not part of the log, which is permanent. */
const MailEvent = defineEventBase(
  { mail: eventField<{ readonly id: number; readonly template: string }>() },
  { subject: ({ mail }) => ({ type: 'mail', id: mail.id, label: mail.template }) },
);

/** An admin had a mail of the outbox sent again. */
export class MailResentEvent extends defineEvent(MailEvent, 'mail.resent') {}

/** The owner of an app was notified of a change that affects it: once when it is published, and again before a sunset. */
export class AppChangeAnnouncedEvent extends defineEvent(
  defineEventBase(
    { app: eventField<AppRecord>() },
    { subject: ({ app }) => ({ type: 'app', id: app.id, label: app.name }), owner: ({ app }) => app.userId },
  ),
  'app.change_announced',
  {
    fields: {
      /** Slug of the product. */
      product: eventField<string>(),
      kind: eventField<ChangeKind>(),
      entryId: eventField<number | null>(),
      deprecationId: eventField<number | null>(),
      /** Days until the sunset, of a reminder. */
      daysLeft: eventField<number | null>(),
      sunsetAt: eventField<Date | null>(),
    },
    changes: ({ product, kind, daysLeft, sunsetAt }) => ({
      ...{ product: [null, product], kind: [null, kind], daysLeft: [null, daysLeft], sunsetAt: [null, sunsetAt] },
    }),
    facts: ({ product, kind, entryId, deprecationId, daysLeft, sunsetAt }) => ({
      ...{ product, kind, entry_id: entryId, deprecation_id: deprecationId },
      ...{ days_left: daysLeft, sunset_at: sunsetAt?.toISOString() ?? null },
    }),
  },
) {}
