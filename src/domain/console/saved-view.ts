import { defineRecord, fieldOf, times, type RowOf } from '../../database/index.js';

export const savedViewRecord = defineRecord({
  name: 'SavedView',
  table: 'portal_console_views',
  alias: 'v',
  noun: 'view',
  fields: {
    id: fieldOf.id(),
    /** The owner. */
    adminId: fieldOf.reference(),
    /** Shared with the admins of this role; null: the owner's alone. */
    roleId: fieldOf.reference().nullable(),
    /** The list that it shows, as the console names it: `users`. */
    resource: fieldOf.text(64),
    name: fieldOf.text(100),
    /** As in the address of the list, without the question mark. */
    query: fieldOf.text(2000),
    isPinned: fieldOf.boolean(),
    /** What the list shows when it is opened; at most one for each owner, and one for each role, of a resource. */
    isDefault: fieldOf.boolean(),
    ...times,
  },
});

/** A list with its filters, order and columns, under a name. */
export type SavedView = RowOf<typeof savedViewRecord>;

export interface SavedViewInput {
  readonly resource: string;
  readonly name: string;
  readonly query: string;
  readonly isPinned?: boolean | undefined;
  readonly isDefault?: boolean | undefined;
  readonly roleId?: number | null | undefined;
}
