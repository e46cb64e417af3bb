import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SLUG } from '../catalog/index.js';
import { readMarkdownFile, type ContentProblem, type FrontMatter } from './front-matter.js';
import type { GuideKind } from './guide.js';

/** A guide of the folder, with its translations. */
export interface FileGuide {
  readonly kind: GuideKind;
  /** Slug of its product; null: of the portal. */
  readonly product: string | null;
  readonly slug: string;
  /** Of the default language, below the folder: `guides/quickstart.md`. */
  readonly file: string;
  /** Of all of its files. */
  readonly hash: string;
  readonly texts: FileText;
  readonly translations: Readonly<Record<string, FileText>>;
}

export interface FileText {
  /** Below the host project, for messages. */
  readonly file: string;
  readonly front: FrontMatter;
  /** Markdown. */
  readonly body: string;
  /** Line of the file that the body begins in. */
  readonly bodyLine: number;
}

export interface FolderContent {
  /** Whether there is a folder at all. */
  readonly exists: boolean;
  readonly guides: readonly FileGuide[];
  readonly problems: readonly ContentProblem[];
  /** Files with problems, below the folder: what was read from them before stays. */
  readonly broken: ReadonlySet<string>;
}

interface FolderPlace {
  readonly kind: GuideKind;
  readonly product: string | null;
  /** Below the folder. */
  readonly path: string;
}

interface FoundFile {
  readonly file: string;
  readonly bytes: Buffer;
  readonly day: string | null;
}

interface Locales {
  readonly defaultLocale: string;
  readonly locales: readonly string[];
}

const MOST_FILES = 5_000;
/** What the API takes, in characters; a file with much front matter has somewhat more. */
const LONGEST_BODY = 90_000;
const MOST_BYTES = 400_000;
/** `2026-11-24-hello`: the day goes before the slug of news. */
const DATED = /^(\d{4}-\d{2}-\d{2})-(.+)$/;

/** Reads the folder of the content: guides, news and guides of products, each with its translations. */
export class ContentFolder {
  /** @param name how messages call the folder, relative to the host project */
  constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly locales: Locales,
  ) {}

  /** Changes when a file is written, comes or goes; null without a folder. */
  async fingerprint(): Promise<string | null> {
    const places = await this.places();
    if (places === null) return null;
    const hash = createHash('sha256');
    for (const { path } of places) {
      for (const file of await this.filesOf(path)) {
        const { mtimeMs, size } = await stat(join(this.folder, path, file));
        hash.update(`${path}/${file} ${mtimeMs} ${size}\n`);
      }
    }
    return hash.digest('hex');
  }

  /** Never throws for what a file holds: that is told in `problems`. */
  async read(): Promise<FolderContent> {
    const places = await this.places();
    if (places === null) return { exists: false, guides: [], problems: [], broken: new Set() };
    const problems: ContentProblem[] = [];
    const guides: FileGuide[] = [];
    for (const place of places) guides.push(...(await this.readPlace(place, problems)));
    const prefix = `${this.name}/`;
    const broken = new Set(problems.map(({ file }) => file.slice(prefix.length)));
    return { exists: true, guides, problems, broken };
  }

  private async places(): Promise<FolderPlace[] | null> {
    const top = await list(this.folder);
    if (top === null) return null;
    const products = (await list(join(this.folder, 'products'))) ?? [];
    return [
      { kind: 'guide', product: null, path: 'guides' },
      { kind: 'news', product: null, path: 'blog' },
      ...products
        .filter((product) => SLUG.test(product))
        .map((product) => ({ kind: 'guide', product, path: `products/${product}` }) as const),
    ];
  }

  private async filesOf(path: string): Promise<string[]> {
    const names = (await list(join(this.folder, path))) ?? [];
    const files = names.filter((name) => name.endsWith('.md') && !name.startsWith('_') && name !== 'README.md');
    return files.slice(0, MOST_FILES);
  }

  private async readPlace(place: FolderPlace, problems: ContentProblem[]): Promise<FileGuide[]> {
    const found = new Map<string, Map<string, FoundFile>>();
    for (const file of await this.filesOf(place.path)) {
      const tell = (message: string) => problems.push({ file: `${this.name}/${place.path}/${file}`, line: 1, message });
      const named = this.nameOf(place.kind, file);
      if (typeof named === 'string') tell(named);
      else {
        const bytes = await readFile(join(this.folder, place.path, file));
        if (bytes.length > MOST_BYTES) tell(`The file has more than ${MOST_BYTES} bytes: make several guides of it.`);
        else {
          const files = found.get(named.slug) ?? new Map<string, FoundFile>();
          files.set(named.locale, { file, bytes, day: named.day });
          found.set(named.slug, files);
        }
      }
    }
    return [...found].flatMap(([slug, files]) => this.guideOf(place, slug, files, problems));
  }

  /** What the name of a file says; a sentence when it says nothing. */
  private nameOf(kind: GuideKind, file: string): { slug: string; locale: string; day: string | null } | string {
    const { defaultLocale, locales } = this.locales;
    const stem = basename(file, '.md');
    const [whole = '', locale = defaultLocale, ...more] = stem.split('.');
    const [, day = null, rest = whole] = (kind === 'news' ? DATED.exec(whole) : null) ?? [];
    if (more.length > 0 || !SLUG.test(rest))
      return 'The name of the file has to be small letters, digits and dashes, and begin with a letter: quickstart.md, or quickstart.ar.md for a translation.';
    if (!locales.includes(locale))
      return `The portal has no language ${locale}. Those there are: ${locales.join(', ')} (theme.locales).`;
    return { slug: rest, locale, day };
  }

  private guideOf(
    place: FolderPlace,
    slug: string,
    files: ReadonlyMap<string, FoundFile>,
    problems: ContentProblem[],
  ): FileGuide[] {
    const { defaultLocale } = this.locales;
    const hash = createHash('sha256');
    const texts: Record<string, FileText> = {};
    let isBroken = false;
    for (const [locale, { file, bytes, day }] of [...files].sort()) {
      hash.update(`${file}\n`).update(bytes).update('\n');
      const shown = `${this.name}/${place.path}/${file}`;
      const isTranslation = locale !== defaultLocale;
      const { faults, front, body, bodyLine } = readMarkdownFile(bytes.toString('utf8'), isTranslation);
      const more = moreFaults(front, body, isTranslation);
      const all = faults.length > 0 ? faults : more;
      isBroken ||= all.length > 0;
      problems.push(...all.map((fault) => ({ file: shown, ...fault })));
      const dated = day === null || isTranslation ? front : { date: new Date(`${day}T00:00:00.000Z`), ...front };
      texts[locale] = { file: shown, front: dated, body, bodyLine };
    }
    const main = files.get(defaultLocale);
    const { [defaultLocale]: own, ...translations } = texts;
    if (!main || !own) {
      const [first] = Object.values(texts);
      const message = `There is no ${slug}.md, of which this would be a translation.`;
      if (first) problems.push({ file: first.file, line: 1, message });
      return [];
    }
    const file = `${place.path}/${main.file}`;
    if (isBroken) {
      // Its translations are read together with it, so it stays as it is, too.
      const shown = `${this.name}/${file}`;
      if (!problems.some((problem) => problem.file === shown))
        problems.push({ file: shown, line: 1, message: 'A translation of it is broken, so it is not read either.' });
      return [];
    }
    return [{ ...place, slug, file, hash: hash.digest('hex'), texts: own, translations }];
  }
}

function moreFaults({ title, date }: FrontMatter, body: string, isTranslation: boolean) {
  if (!isTranslation && title === undefined)
    return [{ line: 1, message: 'The guide has no title: write title: into the front matter.' }];
  if (date && Number.isNaN(date.getTime())) return [{ line: 1, message: 'date has to be a day.' }];
  if (body.length > LONGEST_BODY)
    return [{ line: 1, message: `The text has more than ${LONGEST_BODY} characters: make several guides of it.` }];
  return [];
}

/** Names in a folder, in order; null without one. */
async function list(folder: string): Promise<string[] | null> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String((error as NodeJS.ErrnoException).code))) return null;
    throw error;
  }
}
