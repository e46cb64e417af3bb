import { defineList, defineRecord, fieldOf, type RowOf, type Transaction } from '../../database/index.js';
import { currentActorContext, type ActingPerson, type ListPage, type ListQuery } from '../../core/index.js';
import type { ContentParts } from './guide-reader.js';
import type { AdminGuide, GuideTranslations } from './guide.js';

const guideVersionRecord = defineRecord({
  name: 'GuideVersion',
  table: 'portal_guide_versions',
  alias: 'gv',
  fields: {
    id: fieldOf.id(),
    guideId: fieldOf.reference(),
    name: fieldOf.text(200),
    shortDescription: fieldOf.text(500).default(''),
    /** Markdown. */
    description: fieldOf.longText().hidden(),
    group: fieldOf.text(100).named('nav_group').default(''),
    translations: fieldOf.json<GuideTranslations>().hidden(),
    authorType: fieldOf.text<ActingPerson['type']>(16),
    authorId: fieldOf.bigint().nullable(),
    authorName: fieldOf.text(200).nullable(),
    createdAt: fieldOf.time(),
  },
});

/** The texts of a guide as somebody left them, without the long ones. */
export type GuideVersionRow = RowOf<typeof guideVersionRecord>;

/** The same with all of its texts. */
export interface GuideVersion extends GuideVersionRow {
  readonly description: string;
  readonly translations: GuideTranslations;
}

/** The latest first. */
export const guideVersionList = defineList<GuideVersionRow>({
  ...guideVersionRecord.list({ name: 'guide-versions', sorts: ['createdAt'], filters: ['id', 'name', 'createdAt'] }),
  defaultSort: 'created_at',
});

/** Fields whose change makes a version. */
const TEXTS = ['name', 'shortDescription', 'description', 'group', 'translations'];
/** Of one guide; older ones go. */
const MOST_KEPT = 100;

/** Whether a change of these fields is one of texts. */
export function changesTexts(fields: object): boolean {
  return TEXTS.some((field) => Object.hasOwn(fields, field));
}

/** What guides of the console said before, so that an edit can be taken back. Those of files have the history of their files. */
export class GuideHistory {
  constructor(private readonly parts: Pick<ContentParts, 'database' | 'lists'>) {}

  /** @throws ValidationError naming what the list does not support */
  list({ id }: { readonly id: number }, query: ListQuery): Promise<ListPage<GuideVersionRow>> {
    return this.parts.lists.run(guideVersionList, query, { scope: { where: 'gv.guide_id = ?', values: [id] } });
  }

  /** @throws NotFoundError also for a version of another guide */
  find(guide: { readonly id: number }, id: number): Promise<GuideVersion> {
    const options = { with: ['description', 'translations'] } as const;
    return guideVersionRecord.require(this.parts.database, { id, guideId: guide.id }, options);
  }

  /** Called before a change. The history of an older guide starts with its present text, without an author. */
  async begin(read: () => Promise<AdminGuide>, id: number, transaction: Transaction): Promise<void> {
    if (await guideVersionRecord.has(this.parts.database, { guideId: id }, transaction)) return;
    const guide = await read();
    const author = { authorType: 'system', authorId: null, authorName: null } as const;
    await this.insert(guide, author, guide.updatedAt, transaction);
  }

  /** Keeps what the guide says now as written by the current actor. */
  async keep(guide: AdminGuide, now: Date, transaction: Transaction): Promise<void> {
    const { person } = currentActorContext();
    const authorName = person.name?.slice(0, 200) ?? null;
    await this.insert(guide, { authorType: person.type, authorId: person.id, authorName }, now, transaction);
    const { database } = this.parts;
    const options = { only: ['id'], order: 'gv.id DESC', limit: MOST_KEPT + 1, transaction } as const;
    const kept = await guideVersionRecord.findAll(database, { guideId: guide.id }, options);
    const oldest = kept[MOST_KEPT];
    if (oldest) await guideVersionRecord.remove(database, { id: oldest.id }, transaction);
  }

  private async insert(
    { id: guideId, name, shortDescription, description, group, translations }: AdminGuide,
    author: Pick<GuideVersionRow, 'authorType' | 'authorId' | 'authorName'>,
    createdAt: Date,
    transaction: Transaction,
  ): Promise<void> {
    const texts = { guideId, name, shortDescription, description, group, translations };
    await guideVersionRecord.insert(this.parts.database, { ...texts, ...author, createdAt }, transaction);
  }
}
