import type { Token } from 'markdown-it';
import { NotFoundError } from '../../core/index.js';
import type { Database } from '../../database/index.js';
import { ADMIN, productRecord, type ProductService } from '../catalog/index.js';
import type { ContentFolder, FileGuide, FileText } from './content-files.js';
import type { ContentProblem } from './front-matter.js';
import { addressOf, guideRecord } from './guide.js';
import { resolveGuideLink, type LinkedGuide } from './guide-links.js';
import { createGuideParser, readEmbedded, headingsOf, LONGEST_GUIDE } from './guide-syntax.js';

interface CheckParts {
  readonly folder: ContentFolder;
  readonly database: Database;
  readonly products: Pick<ProductService, 'find' | 'readIndex'>;
  readonly defaultLocale: string;
}

interface CheckedText extends FileText {
  readonly guide: FileGuide;
  readonly locale: string;
  readonly tokens: readonly Token[];
}

/** What `portal content:check` finds in the files of the content folder. */
export class ContentCheck {
  private readonly parser = createGuideParser();

  constructor(private readonly parts: CheckParts) {
    // Links to files are no addresses of pages; the check judges them itself.
    this.parser.validateLink = () => true;
  }

  /**
   * Broken files and links, operations and products that do not exist, translations that are missing in a language that
   * has some.
   * @param withDatabase looks for products, operations and guides of the console, too
   */
  async run(withDatabase: boolean): Promise<{ readonly guides: number; readonly problems: readonly ContentProblem[] }> {
    const { guides, problems } = await this.parts.folder.read();
    const texts = guides.flatMap((guide) => this.textsOf(guide));
    const found = [...problems, ...findMissingTranslations(guides)];
    for (const text of texts) {
      found.push(...findUnknownContainers(text), ...(await this.findBrokenLinks(text, texts, withDatabase)));
      if (withDatabase) found.push(...(await this.findMissingOperations(text)));
    }
    if (withDatabase) found.push(...(await this.findMissingProducts(guides)));
    const order = (a: ContentProblem, b: ContentProblem) =>
      a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line;
    return { guides: guides.length, problems: found.sort(order) };
  }

  private textsOf(guide: FileGuide): CheckedText[] {
    const { defaultLocale } = this.parts;
    const all = [[defaultLocale, guide.texts] as const, ...Object.entries(guide.translations)];
    return all.map(([locale, text]) => {
      const tokens = this.parser.parse(text.body.slice(0, LONGEST_GUIDE), {});
      return { ...text, guide, locale, tokens };
    });
  }

  private async findBrokenLinks(
    text: CheckedText,
    texts: readonly CheckedText[],
    withDatabase: boolean,
  ): Promise<ContentProblem[]> {
    const problems: ContentProblem[] = [];
    for (const { href, line } of linksOf(text)) {
      const linked = href.startsWith('#') ? { ...text.guide, anchor: href } : resolveGuideLink(href, text.guide);
      if (!linked) {
        if (/^[^:/]*\.md(?:#|$)/.test(href)) problems.push(problemAt(text, line, `${href} leads out of the content.`));
        continue;
      }
      const message = await this.faultOf(linked, href, text, texts, withDatabase);
      if (message !== null) problems.push(problemAt(text, line, message));
    }
    return problems;
  }

  private async faultOf(
    linked: LinkedGuide,
    href: string,
    { locale }: CheckedText,
    texts: readonly CheckedText[],
    withDatabase: boolean,
  ): Promise<string | null> {
    const own = texts.filter(({ guide }) => isSame(guide, linked));
    if (own.length === 0) {
      const exists = withDatabase ? await this.isInDatabase(linked) : linked.product !== null;
      return exists ? null : `There is no guide ${href}: mend the link, or write the guide.`;
    }
    const target = own.find((text) => text.locale === locale) ?? own[0];
    if (linked.anchor === '' || !target) return null;
    const ids = headingsOf(target.tokens).map(({ id }) => id);
    if (ids.includes(decode(linked.anchor.slice(1)))) return null;
    return `${href} leads to no heading. Those there are: ${ids.slice(0, 20).join(', ') || 'none'}.`;
  }

  private async isInDatabase({ kind, product, slug }: LinkedGuide): Promise<boolean> {
    const { database } = this.parts;
    const owner = product === null ? null : await productRecord.find(database, { slug: product }, { only: ['id'] });
    if (product !== null && !owner) return false;
    return guideRecord.has(database, { address: addressOf({ kind, productId: owner?.id ?? null }, slug) });
  }

  private async findMissingOperations(text: CheckedText): Promise<ContentProblem[]> {
    const problems: ContentProblem[] = [];
    for (const token of text.tokens) {
      const embedded = readEmbedded(token);
      if (!embedded) continue;
      const slug = embedded.product ?? text.guide.product;
      const message = await this.operationFault(slug, embedded.operation);
      if (message !== null) problems.push(problemAt(text, token.map?.[0] ?? 0, message));
    }
    return problems;
  }

  private async operationFault(slug: string | null, operation: string): Promise<string | null> {
    const { products, defaultLocale } = this.parts;
    if (slug === null) return `Name the product, too: ::operation PRODUCT ${operation}`;
    try {
      const index = await products.readIndex(await products.find(slug, ADMIN, defaultLocale), ADMIN);
      if (index?.numberOf(operation) !== undefined) return null;
      return `The document of ${slug} has no operation ${operation}.`;
    } catch (error) {
      if (error instanceof NotFoundError) return `There is no product ${slug} with a document.`;
      throw error;
    }
  }

  private async findMissingProducts(guides: readonly FileGuide[]): Promise<ContentProblem[]> {
    const slugs = [...new Set(guides.map(({ product }) => product).filter((product) => product !== null))];
    const known = await productRecord.findAll(this.parts.database, { slug: slugs }, { only: ['slug'] });
    const isKnown = (slug: string) => known.some((product) => product.slug === slug);
    return guides.flatMap(({ product, texts }) =>
      product === null || isKnown(product)
        ? []
        : [{ file: texts.file, line: 1, message: `There is no product ${product}, so nobody reads its guides.` }],
    );
  }
}

function problemAt({ file, bodyLine }: FileText, line: number, message: string): ContentProblem {
  return { file, line: bodyLine + line, message };
}

function isSame(a: Omit<LinkedGuide, 'anchor'>, b: Omit<LinkedGuide, 'anchor'>): boolean {
  return a.kind === b.kind && a.product === b.product && a.slug === b.slug;
}

function linksOf({ tokens }: CheckedText): { readonly href: string; readonly line: number }[] {
  const links: { href: string; line: number }[] = [];
  for (const { children, map } of tokens) {
    let line = map?.[0] ?? 0;
    for (const child of children ?? []) {
      if (child.type === 'softbreak' || child.type === 'hardbreak') line += 1;
      if (child.type === 'link_open') links.push({ href: String(child.attrGet('href') ?? ''), line });
    }
  }
  return links;
}

function findUnknownContainers(text: CheckedText): ContentProblem[] {
  return text.tokens.flatMap(({ type, content, map }) => {
    const [, name] = (type === 'inline' ? /^:{2,12}[ \t]*([A-Za-z][\w-]*)/m.exec(content) : null) ?? [];
    const message = `There is no container or operation ${name ?? ''} written like this: see docs/content.md.`;
    return name === undefined ? [] : [problemAt(text, map?.[0] ?? 0, message)];
  });
}

/** Only of languages into which somebody translated something. */
function findMissingTranslations(guides: readonly FileGuide[]): ContentProblem[] {
  const locales = [...new Set(guides.flatMap(({ translations }) => Object.keys(translations)))];
  return guides
    .filter(({ texts }) => texts.front.draft !== true)
    .flatMap(({ texts, translations }) =>
      locales
        .filter((locale) => !Object.hasOwn(translations, locale))
        .map((locale) => {
          const file = texts.file.replace(/\.md$/, `.${locale}.md`);
          return { file: texts.file, line: 1, message: `It is not translated into ${locale}: write ${file}.` };
        }),
    );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
