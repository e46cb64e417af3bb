import {
  defineList,
  defineRecord,
  fieldOf,
  fromRow,
  Op,
  removeExpired,
  UniqueViolationError,
  type RowOf,
  type Transaction,
} from '../../database/index.js';
import { addSeconds, NotFoundError, type ListPage, type ListQuery, type RequestInfo } from '../../core/index.js';
import type { ContentConfig } from './config.js';
import type { ContentParts } from './guide-reader.js';
import type { GuideKind } from './guide.js';

const DAY_S = 86_400;
/** Characters of what somebody writes beside a yes or no. */
const LONGEST_REMARK = 500;
/** Of all guides: beyond it only the votes count. */
const MOST_REMARKS_A_DAY = 500;

const voteRecord = defineRecord({
  name: 'GuideVote',
  table: 'portal_guide_votes',
  alias: 'vote',
  fields: {
    id: fieldOf.id(),
    guideId: fieldOf.reference(),
    helpful: fieldOf.integer(),
    unhelpful: fieldOf.integer(),
    updatedAt: fieldOf.time(),
  },
});

const remarkRecord = defineRecord({
  name: 'GuideRemark',
  table: 'portal_guide_remarks',
  alias: 'remark',
  fields: {
    id: fieldOf.id(),
    guideId: fieldOf.reference(),
    locale: fieldOf.text(16),
    isHelpful: fieldOf.boolean(),
    /** Plain text. */
    remark: fieldOf.text(500),
    createdAt: fieldOf.time(),
  },
});

/** The guide that the feedback is about. */
interface Named {
  readonly guideKind: GuideKind;
  readonly guideSlug: string;
  readonly guideName: string;
}

/** How many readers a guide helped. */
export interface GuideVotes extends RowOf<typeof voteRecord>, Named {}

/** What somebody wrote about a guide. */
export interface GuideRemark extends RowOf<typeof remarkRecord>, Named {}

const named = { guideKind: 'g.kind', guideSlug: 'g.slug', guideName: 'g.name' };

const votes = voteRecord.list({
  name: 'guide-votes',
  sorts: ['unhelpful', 'helpful', 'updatedAt'],
  filters: ['guideId', 'helpful', 'unhelpful', 'updatedAt'],
});
export const guideVoteList = defineList<GuideVotes>({
  ...votes,
  columns: { ...votes.columns, ...named },
  join: 'JOIN portal_guides g ON g.id = vote.guide_id',
  defaultSort: 'unhelpful',
});

const remarks = remarkRecord.list({
  name: 'guide-remarks',
  sorts: ['createdAt'],
  filters: ['id', 'guideId', 'locale', 'isHelpful', 'createdAt'],
  search: ['remark'],
});
export const guideRemarkList = defineList<GuideRemark>({
  ...remarks,
  columns: { ...remarks.columns, ...named },
  join: 'JOIN portal_guides g ON g.id = remark.guide_id',
  defaultSort: 'created_at',
});

export interface FeedbackParts extends ContentParts {
  readonly config: { readonly content: ContentConfig };
  readonly requestLimits: {
    /** Counts an answer from an address. @throws TooManyAttemptsError */
    countFeedback(info: RequestInfo): Promise<void>;
  };
}

/** One answer to "Was this page helpful?". */
export interface GuideAnswer {
  readonly isHelpful: boolean;
  /** Empty for a yes or no without a word. */
  readonly remark: string;
  readonly locale: string;
}

/** Whether guides help those who read them, without who they are. */
export class GuideFeedback {
  constructor(private readonly parts: FeedbackParts) {}

  get isEnabled(): boolean {
    return this.parts.config.content.feedback;
  }

  /**
   * Callers read the guide as its viewer first.
   * @throws NotFoundError when nobody is asked, TooManyAttemptsError
   */
  async answer(guide: { readonly id: number }, answer: GuideAnswer, info: RequestInfo): Promise<void> {
    if (!this.isEnabled) throw new NotFoundError();
    await this.parts.requestLimits.countFeedback(info);
    const remark = cleanRemark(answer.remark);
    await this.parts.database.transaction(async (transaction) => {
      await this.count(guide.id, answer.isHelpful, transaction);
      if (remark !== '') await this.note(guide.id, { ...answer, remark }, transaction);
    });
  }

  /** Those that helped least first. @throws ValidationError naming what the list does not support */
  listVotes(query: ListQuery): Promise<ListPage<GuideVotes>> {
    return this.parts.lists.run(guideVoteList, query);
  }

  /** The latest first. @throws ValidationError naming what the list does not support */
  listRemarks(query: ListQuery): Promise<ListPage<GuideRemark>> {
    return this.parts.lists.run(guideRemarkList, query);
  }

  /** @throws NotFoundError */
  async requireRemark(id: number): Promise<{ readonly id: number }> {
    return remarkRecord.require(this.parts.database, { id }, { only: ['id'] });
  }

  /** Removes a remark that was read or is empty; its vote stays. */
  async deleteRemark({ id }: { readonly id: number }): Promise<void> {
    await remarkRecord.remove(this.parts.database, { id });
  }

  /** Removes remarks of long ago. */
  async prune(): Promise<void> {
    const { database, clock, config } = this.parts;
    const before = addSeconds(clock.now(), -config.content.keepFeedback);
    const old = { condition: 'created_at <= ?', values: [before] };
    await removeExpired(database, { table: remarkRecord.table, key: 'id', ...old });
  }

  private async count(guideId: number, isHelpful: boolean, transaction: Transaction): Promise<void> {
    const { database, clock } = this.parts;
    const updatedAt = clock.now();
    const field = isHelpful ? 'helpful' : 'unhelpful';
    const add = () => voteRecord.update(database, { guideId }, { [field]: fromRow(field, 1), updatedAt }, transaction);
    if ((await add()) > 0) return;
    const first = { guideId, helpful: Number(isHelpful), unhelpful: Number(!isHelpful), updatedAt };
    try {
      await voteRecord.insert(database, first, transaction);
    } catch (error) {
      if (!(error instanceof UniqueViolationError)) throw error;
      // Somebody else was the first.
      await add();
    }
  }

  private async note(guideId: number, { isHelpful, remark, locale }: GuideAnswer, transaction: Transaction) {
    const { database, clock } = this.parts;
    const createdAt = clock.now();
    const ofToday = { createdAt: { [Op.gt]: addSeconds(createdAt, -DAY_S) } };
    if ((await remarkRecord.count(database, ofToday, transaction)) >= MOST_REMARKS_A_DAY) return;
    await remarkRecord.insert(database, { guideId, locale, isHelpful, remark, createdAt }, transaction);
  }
}

function cleanRemark(text: string): string {
  const line = text.normalize('NFC').replaceAll(/[\p{C}\s]+/gu, ' ');
  // Cut between characters, not within one.
  return [...line.trim()].slice(0, LONGEST_REMARK).join('').slice(0, LONGEST_REMARK).trim();
}
