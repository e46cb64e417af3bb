import type { Clock } from '../../core/index.js';
import type { Database } from '../../database/index.js';
import { OWN_APP, OWN_KEY } from '../accounts/index.js';
import { startOf, usageRange, type AskedRange } from './usage-query.js';

/** How far developers came who signed up in a range of days. */
export interface Funnel {
  readonly from: Date;
  readonly to: Date;
  readonly signedUp: number;
  /** Of these, who has an app. */
  readonly app: number;
  /** Who has an app with a key. */
  readonly key: number;
  /** Whose first call was allowed. */
  readonly firstCall: number;
  /** From the sign-up to the first call, of those who made one; null for none. */
  readonly medianSeconds: number | null;
}

type FunnelRow = Readonly<Record<'signedUp' | 'app' | 'hasKey' | 'firstCall', number | string | null>>;

const SIGNED_UP = "u.kind = 'person' AND u.created_at >= ? AND u.created_at < ?";

/** Reads how many developers come from their sign-up to their first call, and how fast. */
export class FirstCallFunnel {
  constructor(private readonly parts: { readonly database: Database; readonly clock: Clock }) {}

  /** @param asked days of the sign-ups; without bounds the last 30. @throws ValidationError on `from` */
  async read(asked: Omit<AskedRange, 'interval'>): Promise<Funnel> {
    const { first, end } = usageRange({ ...asked, interval: 'day' }, this.parts.clock.now());
    const [from, to] = [startOf('day', first), startOf('day', end)];
    const [row] = await this.parts.database.select<FunnelRow>(
      `SELECT COUNT(*) AS signedUp, SUM(app) AS app, SUM(credential) AS hasKey, SUM(called) AS firstCall FROM (
         SELECT EXISTS (${OWN_APP}) AS app, EXISTS (${OWN_KEY}) AS credential,
           EXISTS (${OWN_APP} AND oa.first_called_at IS NOT NULL) AS called
         FROM portal_users u WHERE ${SIGNED_UP}) s`,
      [from, to],
    );
    const counts = {
      ...{ signedUp: Number(row?.signedUp ?? 0), app: Number(row?.app ?? 0) },
      ...{ key: Number(row?.hasKey ?? 0), firstCall: Number(row?.firstCall ?? 0) },
    };
    return { from, to, ...counts, medianSeconds: counts.firstCall === 0 ? null : await this.median(from, to) };
  }

  private async median(from: Date, to: Date): Promise<number> {
    const rows = await this.parts.database.select<{ signedUpAt: Date; calledAt: Date }>(
      `SELECT u.created_at AS signedUpAt, MIN(a.first_called_at) AS calledAt
       FROM portal_users u JOIN portal_apps a ON a.user_id = u.id
       WHERE ${SIGNED_UP} AND a.first_called_at IS NOT NULL GROUP BY u.id, u.created_at`,
      [from, to],
      { decode: { signedUpAt: 'date', calledAt: 'date' } },
    );
    const seconds = rows.map(({ signedUpAt, calledAt }) => (calledAt.getTime() - signedUpAt.getTime()) / 1_000);
    const sorted = seconds.sort((a, b) => a - b);
    const middle = Math.floor((sorted.length - 1) / 2);
    const [low = 0, high = low] = sorted.slice(middle, sorted.length - middle);
    return Math.max(0, Math.round((low + high) / 2));
  }
}
