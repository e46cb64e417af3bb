import {
  AppApprovedEvent,
  AppCreatedEvent,
  ConflictError,
  NotFoundError,
  type Clock,
  type Database,
  type EventBus,
  type Transaction,
} from 'portalkit';

export type Stage = 'legal' | 'business' | 'cleared';

const NEXT: Readonly<Record<Stage, Stage>> = { legal: 'business', business: 'cleared', cleared: 'cleared' };

export interface Review {
  readonly appId: number;
  readonly stage: Stage;
}

/** What an app passes before an admin may approve it. */
export class Reviews {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Inside the transactions of the portal: an app without a review, or an approval without clearance, never exists. */
  listen(events: EventBus<Transaction>): void {
    events.within(AppCreatedEvent, async ({ app, occurredAt }, transaction) => {
      await this.database.execute(
        "INSERT INTO acme_reviews (app_id, stage, created_at, updated_at) VALUES (?, 'legal', ?, ?)",
        [app.id, occurredAt, occurredAt],
        { transaction },
      );
    });
    events.within(AppApprovedEvent, async ({ app }, transaction) => {
      const { stage } = await this.find(app.id, transaction);
      if (app.status === 'approved' && stage !== 'cleared') {
        throw new ConflictError({ errors: { stage: [`The app waits for ${stage}.`] } });
      }
    });
  }

  /** @throws NotFoundError */
  async find(appId: number, transaction?: Transaction): Promise<Review> {
    const sql = 'SELECT app_id AS appId, stage FROM acme_reviews WHERE app_id = ?';
    const [review] = await this.database.select<Review>(sql, [appId], transaction ? { transaction } : {});
    if (!review) throw new NotFoundError();
    return review;
  }

  waitingFor(stage: Stage): Promise<Review[]> {
    const sql = 'SELECT app_id AS appId, stage FROM acme_reviews WHERE stage = ? ORDER BY id LIMIT 100';
    return this.database.select<Review>(sql, [stage]);
  }

  /** Takes an app to its next stage, once even when two press at once. @throws ConflictError when it is elsewhere by now */
  async clear({ appId, stage }: Review, adminId: number): Promise<Review> {
    const { affectedRows } = await this.database.execute(
      'UPDATE acme_reviews SET stage = ?, cleared_by = ?, updated_at = ? WHERE app_id = ? AND stage = ?',
      [NEXT[stage], adminId, this.clock.now(), appId, stage],
    );
    if (affectedRows === 0) throw new ConflictError();
    return this.find(appId);
  }
}
