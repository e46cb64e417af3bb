import { defineRecord, fieldOf, Op, type Database, type Transaction } from '../../database/index.js';
import { addSeconds, ForbiddenError, type Clock } from '../../core/index.js';
import type { MailQueue } from '../../mail/index.js';
import { adminRecord } from '../accounts/index.js';
import { selectWaiting, type WaitingKind, type WaitingThing } from '../apps/index.js';
import type { RouteAuthorizer } from '../rbac/index.js';
import type { NotificationsConfig } from './config.js';

/** Limit per turn; the rest follows in the next one. */
const MOST_NOTED = 10_000;

const ROWS = 200;

/** What was reported, and in the row of kind `mail` when mails were last sent. */
const approvalNoticeRecord = defineRecord({
  name: 'ApprovalNotice',
  table: 'portal_approval_notices',
  alias: 'n',
  fields: {
    kind: fieldOf.text(16).key(),
    subjectId: fieldOf.reference().key(),
    partId: fieldOf.reference().key(),
    noticedAt: fieldOf.time(),
  },
});
const LAST_MAIL = { kind: 'mail', subjectId: 0, partId: 0 };

/** Number of pending items by kind. */
type Counts = Readonly<Record<WaitingKind, number>>;

interface WaitingParts {
  readonly database: Database;
  readonly mail: MailQueue;
  readonly clock: Clock;
  readonly authorizer: Pick<RouteAuthorizer, 'authorize'>;
  readonly config: NotificationsConfig;
  /** A developer who must confirm an address only waits once that is done. */
  readonly verifyEmail: boolean;
  /** For admins, who have no locale. */
  readonly locale: string;
  /** Absolute URL of the admin API. */
  readonly adminApi: () => string;
}

/**
 * Notifies admins of pending approvals: at once when something new appears, and then not again before
 * `notices.approvalsEvery` has passed, with everything new since. Each admin hears only of what they may decide, and of
 * each item once.
 */
export class WaitingApprovals {
  constructor(private readonly parts: WaitingParts) {}

  async announce(): Promise<void> {
    const { database, config } = this.parts;
    if (!config.approvals) return;
    await this.forgetDecided();
    if ((await this.findUnreported(1)).length === 0) return;
    await database.transaction(async (transaction) => {
      // Counted after it was noted: an item that arrives in between may be reported twice, but never lost.
      const unreported = await this.findUnreported(MOST_NOTED, transaction);
      if (unreported.length === 0 || !(await this.takeTurn(transaction))) return;
      await this.note(unreported, transaction);
      await this.notifyAdmins(await this.count(transaction), transaction);
    });
  }

  // An item that becomes pending a second time is reported again.
  private async forgetDecided(): Promise<void> {
    const { sql, values } = this.makeWaitingQuery();
    await this.parts.database.execute(
      `DELETE FROM portal_approval_notices WHERE kind <> 'mail' AND NOT EXISTS (SELECT 1 FROM (${sql}) w
       WHERE w.kind = portal_approval_notices.kind AND w.subject_id = portal_approval_notices.subject_id
         AND w.part_id = portal_approval_notices.part_id)`,
      values,
    );
  }

  /** Pending items that were not reported yet. */
  private findUnreported(most: number, transaction?: Transaction): Promise<WaitingThing[]> {
    const { sql, values } = this.makeWaitingQuery();
    return this.parts.database.select<WaitingThing>(
      `SELECT w.kind AS kind, w.subject_id AS subjectId, w.part_id AS partId FROM (${sql}) w
       LEFT JOIN portal_approval_notices n ON n.kind = w.kind AND n.subject_id = w.subject_id AND n.part_id = w.part_id
       WHERE n.kind IS NULL LIMIT ${most}`,
      values,
      { transaction },
    );
  }

  // One turn across replicas. A turn in the future comes from a wrong clock and is ignored.
  private async takeTurn(transaction: Transaction): Promise<boolean> {
    const { database, clock, config } = this.parts;
    const now = clock.now();
    const { approvalsEvery } = config;
    const isDue = [{ [Op.lte]: addSeconds(now, -approvalsEvery) }, { [Op.gt]: addSeconds(now, approvalsEvery) }];
    const due = { ...LAST_MAIL, noticedAt: { [Op.or]: isDue } };
    if ((await approvalNoticeRecord.update(database, due, { noticedAt: now }, transaction)) === 1) return true;
    if (await approvalNoticeRecord.has(database, LAST_MAIL, transaction)) return false;
    await approvalNoticeRecord.insert(database, { ...LAST_MAIL, noticedAt: now }, transaction);
    return true;
  }

  private async count(transaction: Transaction): Promise<Counts> {
    const { sql, values } = this.makeWaitingQuery();
    const rows = await this.parts.database.select<{ kind: WaitingKind; count: number }>(
      `SELECT w.kind AS kind, COUNT(*) AS count FROM (${sql}) w GROUP BY w.kind`,
      values,
      { transaction },
    );
    const counts = Object.fromEntries(rows.map(({ kind, count }) => [kind, Number(count)]));
    return { developer: 0, app: 0, key: 0, product: 0, plan: 0, ...counts };
  }

  private async note(things: readonly WaitingThing[], transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const noticedAt = clock.now();
    for (let start = 0; start < things.length; start += ROWS) {
      const rows = things.slice(start, start + ROWS).map((thing) => ({ ...thing, noticedAt }));
      await approvalNoticeRecord.insertAll(database, rows, transaction);
    }
  }

  private async notifyAdmins(counts: Counts, transaction: Transaction): Promise<void> {
    const { database, mail, locale, adminApi } = this.parts;
    const admins = await adminRecord.findAll(database, { status: 'active' }, { transaction, order: 'a.id' });
    for (const { id, email, name } of admins) {
      const mayUsers = await this.mayDecide(id, 'users');
      const mayApps = await this.mayDecide(id, 'apps');
      const theirs = {
        developers: mayUsers ? counts.developer : 0,
        ...(mayApps
          ? { apps: counts.app, keys: counts.key, products: counts.product, plans: counts.plan }
          : { apps: 0, keys: 0, products: 0, plans: 0 }),
      };
      const count = Object.values(theirs).reduce((sum, number) => sum + number, 0);
      if (count === 0) continue;
      const values = { ...theirs, count, onApps: count - theirs.developers, api: adminApi() };
      await mail.queue({ template: 'approvals-waiting', to: email, locale, name, values }, transaction);
    }
  }

  private async mayDecide(id: number, resource: 'users' | 'apps'): Promise<boolean> {
    try {
      await this.parts.authorizer.authorize({ id, context: 'admin' }, { policy: ['update', resource] });
      return true;
    } catch (error) {
      if (error instanceof ForbiddenError) return false;
      throw error;
    }
  }

  /** Everything that is pending now. */
  private makeWaitingQuery() {
    const { clock, verifyEmail } = this.parts;
    return selectWaiting({ now: clock.now(), verifyEmail });
  }
}
