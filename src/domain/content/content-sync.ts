import { join } from 'node:path';
import { ValidationError, type Background, type Logger } from '../../core/index.js';
import { Op } from '../../database/index.js';
import { productRecord, ProductCreatedEvent } from '../catalog/index.js';
import { ContentFolder, type FileGuide, type FileText } from './content-files.js';
import type { ContentProblem } from './front-matter.js';
import { addressOf, guideRecord, type GuideInput, type GuidePlace, type GuideTexts } from './guide.js';
import type { ContentParts } from './guide-reader.js';
import type { GuideService } from './guide-service.js';

interface SyncParts extends ContentParts {
  readonly folder: ContentFolder;
  readonly guides: GuideService;
  readonly logger: Logger;
  readonly background: Pick<Background, 'start'>;
}

/** What a run did. */
export interface ContentSyncReport {
  readonly written: number;
  readonly removed: number;
  readonly problems: readonly ContentProblem[];
}

/**
 * Brings the files of the content folder into the database, where readers, lists and the search find them beside those
 * of the console. A file wins over a guide of the console at the same address; one whose file is gone goes, too. Only a
 * change that this process saw makes it write, so that an old replica never undoes what a new one brought.
 */
export class ContentSync {
  private seen: string | null = null;
  private running: Promise<ContentSyncReport> | null = null;
  private last: readonly ContentProblem[] = [];

  constructor(private readonly parts: SyncParts) {}

  /** A file may have waited for its product. */
  listen(): void {
    const { events, background } = this.parts;
    events.on(ProductCreatedEvent, () => {
      if (this.seen === null) return;
      background.start('reading the content folder', async () => void (await this.run()));
    });
  }

  /** What was wrong with files when they were read last. */
  get problems(): readonly ContentProblem[] {
    return this.last;
  }

  /** Reads the folder if one of its files changed since this process read it. */
  async refresh(): Promise<void> {
    const fingerprint = await this.parts.folder.fingerprint();
    if (fingerprint === null || fingerprint === this.seen) return;
    await this.run();
    this.seen = fingerprint;
  }

  /** Reads the folder now. Without a folder nothing changes: it may be missing by mistake. */
  async run(): Promise<ContentSyncReport> {
    this.running ??= this.read().finally(() => (this.running = null));
    return this.running;
  }

  private async read(): Promise<ContentSyncReport> {
    const { folder, logger } = this.parts;
    const content = await folder.read();
    if (!content.exists) return { written: 0, removed: 0, problems: [] };
    const problems = [...content.problems];
    const broken = new Set(content.broken);
    let written = 0;
    for (const guide of content.guides) {
      try {
        if (await this.write(guide)) written += 1;
      } catch (error) {
        if (!(error instanceof ValidationError)) throw error;
        broken.add(guide.file);
        const messages = Object.values(error.errors).flat();
        problems.push(...messages.map((message) => ({ file: guide.texts.file, line: 1, message })));
      }
    }
    const kept = new Set([...content.guides.map(({ file }) => file), ...broken]);
    const removed = await this.removeOthers(kept);
    for (const { file, line, message } of problems) logger.warn({ file, line }, `${file}:${line}: ${message}`);
    this.last = problems;
    return { written, removed, problems };
  }

  /** @returns whether anything changed. @throws ValidationError with what the file asks for in vain */
  private async write(guide: FileGuide): Promise<boolean> {
    const { database, guides } = this.parts;
    const place = await this.placeOf(guide);
    const options = { with: ['fileHash'] } as const;
    const row = await guideRecord.find(database, { address: addressOf(place, guide.slug) }, options);
    if (row?.fileHash === guide.hash && row.file === guide.file) return false;
    const origin = { file: guide.file, fileHash: guide.hash };
    const input = inputOf(guide);
    if (row) await guides.takeOver(row.id, input, origin);
    else await guides.create(place, input, origin);
    return true;
  }

  private async placeOf({ kind, product }: FileGuide): Promise<GuidePlace> {
    if (product === null) return { kind, productId: null };
    const found = await productRecord.find(this.parts.database, { slug: product }, { only: ['id'] });
    if (found) return { kind, productId: found.id };
    throw new ValidationError({
      product: [`There is no product ${product}: rename the folder, or create the product.`],
    });
  }

  private async removeOthers(kept: ReadonlySet<string>): Promise<number> {
    const { database, guides } = this.parts;
    const rows = await guideRecord.findAll(database, { file: { [Op.ne]: null } }, { only: ['id', 'file'] });
    const gone = rows.filter(({ file }) => file !== null && !kept.has(file));
    for (const { id } of gone) await guides.drop(id);
    return gone.length;
  }
}

/** What a file says, as the console would send it. */
function inputOf({ slug, texts, translations }: FileGuide): GuideInput {
  const { title = slug, description = '', group = '', order = 0, draft = false, audiences = [], date } = texts.front;
  const isPrivate = audiences.length > 0;
  return {
    ...{ slug, name: title, shortDescription: description, description: texts.body, group, position: order },
    visibility: draft ? 'draft' : isPrivate ? 'private' : 'public',
    ...(date && { publishedAt: date }),
    audiences,
    translations: Object.fromEntries(Object.entries(translations).map(([locale, text]) => [locale, textsOf(text)])),
  };
}

function textsOf({ front: { title, description, group }, body }: FileText): GuideTexts {
  return {
    ...{ name: title ?? null, shortDescription: description ?? null, group: group ?? null },
    description: body.trim() === '' ? null : body,
  };
}

interface SeederParts extends ContentParts {
  readonly guides: GuideService;
}

/** Writes the guides of a folder of Markdown files as if somebody had typed them in the console; those of the demo. */
export class GuideSeeder {
  constructor(private readonly parts: SeederParts) {}

  /**
   * What exists already stays as it is.
   * @param folder that holds `content/`
   * @returns each guide, and whether this run wrote it
   */
  async run(folder: string): Promise<{ readonly slug: string; readonly isNew: boolean }[]> {
    const { database, guides } = this.parts;
    const content = await new ContentFolder(join(folder, 'content'), 'content', this.parts).read();
    const report: { slug: string; isNew: boolean }[] = [];
    for (const guide of content.guides) {
      const { kind, product, slug } = guide;
      const owner = product === null ? null : await productRecord.find(database, { slug: product }, { only: ['id'] });
      if (product !== null && owner === null) continue;
      const place = { kind, productId: owner?.id ?? null };
      const isNew = !(await guideRecord.has(database, { address: addressOf(place, slug) }));
      if (isNew) await guides.create(place, inputOf(guide));
      report.push({ slug: product === null ? slug : `${product}/${slug}`, isNew });
    }
    return report;
  }
}
