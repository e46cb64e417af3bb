import { changeRecord, lockRecord, type Transaction } from '../../database/index.js';
import {
  ConflictError,
  requireLocales,
  ValidationError,
  type Changes,
  type ExpectedVersion,
} from '../../core/index.js';
import { changeTranslations, replaceJoinRows } from '../catalog/index.js';
import { GuideCreatedEvent, GuideDeletedEvent, GuidePublishedEvent, GuideUpdatedEvent } from './events.js';
import {
  addressOf,
  GUIDE_AUDIENCES,
  GUIDE_TRANSLATIONS,
  guideRecord,
  type AdminGuide,
  type GuideInput,
  type GuidePlace,
  type GuideRow,
} from './guide.js';
import { changesTexts, GuideHistory, type GuideVersion } from './guide-history.js';
import { GuideReader, type ContentParts } from './guide-reader.js';

/** The file that a guide comes from. */
export interface GuideOrigin {
  readonly file: string;
  readonly fileHash: string;
}

interface GuideChange {
  readonly id: number;
  readonly input: Partial<GuideInput>;
  /** Undefined: somebody changes it in the console, or over REST. */
  readonly origin: GuideOrigin | undefined;
  readonly expected?: ExpectedVersion;
}

/** Reads and changes guides and news. Those of files are changed by their files alone. */
export class GuideService extends GuideReader {
  /** What those of the console said before. */
  readonly history: GuideHistory;

  constructor(parts: ContentParts) {
    super(parts);
    this.history = new GuideHistory(parts);
  }

  /**
   * A draft, unless the input says otherwise.
   * @param origin the file that it was read from
   * @throws ValidationError for a taken slug, unknown locales and audiences
   */
  create(place: GuidePlace, input: GuideInput, origin?: GuideOrigin): Promise<AdminGuide> {
    const { database, events, clock } = this.parts;
    if (place.kind === 'news' && place.productId !== null)
      throw new ValidationError({ product: ['News are of the portal, not of a product.'] });
    requireLocales(input.translations, this.parts);
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const { audiences = [], translations = {}, visibility = 'draft', ...columns } = input;
      const publishedAt = visibility === 'draft' ? (input.publishedAt ?? null) : (input.publishedAt ?? now);
      const address = addressOf(place, input.slug);
      const values = { ...columns, ...place, ...origin, address, visibility, publishedAt };
      const id = await guideRecord.insert(database, { ...values, createdAt: now, updatedAt: now }, transaction);
      await replaceJoinRows(database, GUIDE_AUDIENCES, 'audiences', id, audiences, transaction);
      await changeTranslations(database, GUIDE_TRANSLATIONS, id, translations, transaction);
      const guide = await this.record({ id }, transaction);
      if (!origin) await this.history.keep(guide, now, transaction);
      await events.emit(new GuideCreatedEvent({ guide, occurredAt: now }), transaction);
      if (visibility !== 'draft') await events.emit(new GuidePublishedEvent({ guide, occurredAt: now }), transaction);
      return guide;
    });
  }

  /**
   * Changes the given fields; audiences and translations are replaced whole.
   * @throws ConflictError for a guide of a file, NotFoundError, PreconditionFailedError, and as {@link create}
   */
  update(id: number, input: Partial<GuideInput>, expected?: ExpectedVersion): Promise<AdminGuide> {
    requireLocales(input.translations, this.parts);
    return this.parts.database.transaction((transaction) =>
      this.change({ id, input, origin: undefined, expected }, transaction),
    );
  }

  /**
   * The texts of a version become those of the guide again, which is a change like any other. Languages that the portal no longer
   * has are left out.
   * @throws as {@link update}
   */
  restore(id: number, version: GuideVersion, expected?: ExpectedVersion): Promise<AdminGuide> {
    const { name, shortDescription, description, group } = version;
    const { locales, defaultLocale } = this.parts;
    const known = Object.entries(version.translations).filter(
      ([locale]) => locale !== defaultLocale && locales.includes(locale),
    );
    const texts = { name, shortDescription, description, group, translations: Object.fromEntries(known) };
    return this.update(id, texts, expected);
  }

  /** A file has other texts than the guide, which belongs to the file from now on. @throws as {@link update} */
  takeOver(id: number, input: GuideInput, origin: GuideOrigin): Promise<AdminGuide> {
    return this.parts.database.transaction((transaction) => this.change({ id, input, origin }, transaction));
  }

  /** @throws ConflictError for a guide of a file, NotFoundError, PreconditionFailedError */
  async delete(id: number, expected?: ExpectedVersion): Promise<void> {
    await this.remove(id, expected, refuseFiles);
  }

  /** The file of a guide is gone, and the guide with it. @throws NotFoundError */
  async drop(id: number): Promise<void> {
    await this.remove(id, undefined, () => undefined);
  }

  private async remove(id: number, expected: ExpectedVersion, check: (row: GuideRow) => void): Promise<void> {
    const { database, events, clock } = this.parts;
    await database.transaction(async (transaction) => {
      check(await lockRecord(guideRecord, database, id, expected, transaction));
      const guide = await this.record({ id }, transaction);
      await events.emit(new GuideDeletedEvent({ guide, occurredAt: clock.now() }), transaction);
      await guideRecord.remove(database, { id }, transaction);
    });
  }

  private async change({ id, input, origin, expected }: GuideChange, transaction: Transaction): Promise<AdminGuide> {
    const { audiences: _, translations: __, ...columns } = input;
    const read = () => this.record({ id }, transaction);
    let writtenAt: Date | null = null;
    const changed = await changeRecord(guideRecord, this.parts, transaction, {
      id,
      expected,
      plan: async (row, now) => {
        if (!origin) {
          refuseFiles(row);
          await this.history.begin(read, id, transaction);
        }
        const first = columns.visibility !== undefined && columns.visibility !== 'draft' && row.publishedAt === null;
        const values = { ...columns, ...(origin && { file: origin.file }), ...(first && publication(columns, now)) };
        return {
          values,
          elsewhere: await this.writeParts(id, input, transaction),
          hidden: selectHiddenColumns(row, columns.slug, origin),
        };
      },
      read,
      announce: (guide, changes, occurredAt, before) => {
        if (Object.keys(changes).length === 0) return [];
        if (!origin && changesTexts(changes)) writtenAt = occurredAt;
        const isPublished = before.visibility === 'draft' && guide.visibility !== 'draft';
        return [
          new GuideUpdatedEvent({ guide, changes, occurredAt }),
          ...(isPublished ? [new GuidePublishedEvent({ guide, occurredAt })] : []),
        ];
      },
    });
    if (writtenAt) await this.history.keep(changed, writtenAt, transaction);
    return changed;
  }

  private async writeParts(
    id: number,
    { audiences, translations }: Partial<GuideInput>,
    transaction: Transaction,
  ): Promise<Changes | null> {
    const { database } = this.parts;
    const linked =
      audiences && (await replaceJoinRows(database, GUIDE_AUDIENCES, 'audiences', id, audiences, transaction));
    const texts =
      translations && (await changeTranslations(database, GUIDE_TRANSLATIONS, id, translations, transaction));
    if (!linked && !texts) return null;
    return { ...(linked && { audiences: linked.names }), ...(texts && { translations: texts }) };
  }
}

function selectHiddenColumns(row: GuideRow, slug: string | undefined, origin: GuideOrigin | undefined) {
  const isMoved = slug !== undefined && slug !== row.slug;
  if (!isMoved && !origin) return undefined;
  return { ...(isMoved && { address: addressOf(row, slug) }), ...(origin && { fileHash: origin.fileHash }) };
}

function publication({ publishedAt }: Partial<GuideInput>, now: Date) {
  return { publishedAt: publishedAt ?? now };
}

/** @throws ConflictError */
function refuseFiles({ file }: GuideRow): void {
  if (file === null) return;
  throw new ConflictError({ errors: { file: [`The guide is managed in files: change ${file} instead.`] } });
}
