import type { DocumentIndex } from '../domain/catalog/index.js';
import type { AboutPortal } from '../domain/site/index.js';
import { PageResponse, type AskedFile, type PageRequest } from '../http/index.js';
import { directionOf } from '../templates/index.js';
import { Assets } from './layout/assets.js';
import { isOfBrand, serveAsset } from './layout/brand-files.js';
import { BrandReader } from './layout/brand.js';
import { languageName } from './format/languages.js';
import { listOf } from './format/operation-list.js';
import { operationsPath } from './format/written-reference.js';
import { pageHeaders } from './layout/page-headers.js';
import type { WriterParts } from './layout/page-writer.js';
import { Renderer } from './layout/renderer.js';
import { pictureLink } from './format/safe-links.js';
import type { DocsContext } from './api-documents.js';

export type DocsPageParts = Pick<
  WriterParts,
  'services' | 'prefix' | 'folders' | 'messageFolders' | 'imageHosts' | 'apiPath' | 'keep'
> & {
  /** Below `apiPath`. */
  readonly adminPath: string;
  readonly files: { readonly openapi: boolean; readonly postman: boolean };
};

/** A part of the API as the page lists it. */
export interface OfferedPart {
  readonly name: DocsContext;
  readonly hash: string;
  /** Whether everybody may read it. */
  readonly isPublic: boolean;
}

const LAYOUT = 'layouts/docs.hbs';
const SCHEMES = ['light', 'dark'];

/** Writes the page of the API reference and its files. It needs no session: people sign in within the page. */
export class DocsPage {
  private readonly renderer: Renderer;
  private readonly assets: Assets;
  private readonly brand: BrandReader;

  constructor(private readonly parts: DocsPageParts) {
    const { services, folders, messageFolders, keep } = parts;
    const { about, settings } = services.site;
    this.renderer = new Renderer({ folders, messageFolders, defaultLocale: about.defaultLocale, keep });
    this.assets = new Assets(folders, keep);
    this.brand = new BrandReader(settings, about, services.clock);
  }

  /** @param index of the first part, for readers without scripts; null if nobody may read it without a token */
  async reference(
    request: PageRequest,
    locale: string,
    offered: readonly OfferedPart[],
    index: DocumentIndex | null,
  ): Promise<PageResponse> {
    const titles = await Promise.all(offered.map(({ name }) => this.renderer.say(`docs.${name}`, locale)));
    const documents = offered.map(({ name, hash }, number) => ({
      ...{ name, title: titles[number], data: `${this.parts.prefix}/data/${name}/${hash}/` },
      pages: operationsPath(this.pathOf(name)),
      ...this.signInPaths(name),
    }));
    const page = Number(request.query.get('page')?.at(-1)) || 1;
    const values = {
      settings: JSON.stringify({ kind: 'api', documents }),
      source: documents[0]?.data ?? '',
      outline: index?.outline ?? null,
      list: index && listOf(index.outline, page, documents[0]?.pages ?? ''),
      ...{ canonical: this.parts.prefix, markdownAddress: index && `${this.pathOf(offered[0]?.name)}/reference.md` },
      files: this.parts.files,
      sheets: ['reference.css'],
      scripts: ['reference.js'],
    };
    const heading = await this.renderer.say('docs.title', locale);
    return this.show(request, locale, { template: 'docs', heading, status: 200, values });
  }

  /** A page of one operation, or for printing. */
  writePage(
    request: PageRequest,
    locale: string,
    template: string,
    heading: string,
    values: { readonly reference: string },
  ): Promise<PageResponse> {
    // The reference is one page for all parts.
    const [, anchor] = values.reference.split('#', 2);
    const reference = this.parts.prefix + (anchor === undefined ? '' : `#${anchor}`);
    const shown = { ...values, title: heading, reference };
    return this.show(request, locale, { template, heading, status: 200, values: shown });
  }

  async messages(locale: string): Promise<Readonly<Record<string, string>>> {
    const sections = ['reference', 'written'].map((section) => this.renderer.messages(section, locale));
    return Object.assign({}, ...(await Promise.all(sections))) as Readonly<Record<string, string>>;
  }

  private pathOf(name: DocsContext | undefined): string {
    return `${this.parts.prefix}/${name ?? ''}`;
  }

  async failure(request: PageRequest, locale: string, status: number, failure: string): Promise<PageResponse> {
    const heading = await this.renderer.say(`failure.${failure}.title`, locale);
    return this.show(request, locale, { template: 'failure', heading, status, values: { failure, status } });
  }

  /** @returns null if it is not one of our files */
  async asset(name: string, asked: AskedFile): Promise<PageResponse | null> {
    return serveAsset(name, asked, { assets: this.assets, brand: this.brand, keep: this.parts.keep });
  }

  private signInPaths(name: DocsContext) {
    const { apiPath, adminPath } = this.parts;
    const base = `${name === 'admin' ? adminPath : apiPath}/auth`;
    return { login: `${base}/login`, refresh: `${base}/refresh`, logout: `${base}/logout` };
  }

  private async show(
    { cookies }: PageRequest,
    locale: string,
    { template, heading, status, values }: { template: string; heading: string; status: number; values: object },
  ): Promise<PageResponse> {
    const { prefix, services, imageHosts, apiPath } = this.parts;
    const [brand] = await Promise.all([this.brand.read(), this.assets.prepare()]);
    const about: AboutPortal = services.site.about;
    const scheme = cookies.get('portal-scheme');
    const context = {
      prefix,
      csrfToken: () => '',
      assetUrl: (file: string) =>
        `${prefix}/assets/${file}?v=${isOfBrand(file) ? brand.version : this.assets.version(file)}`,
      pictureUrl: (address: string) => pictureLink(address, apiPath, imageHosts),
    };
    const around = {
      ...{ brand, locale, prefix, home: about.links.theme, direction: directionOf(locale) },
      scheme: scheme !== undefined && SCHEMES.includes(scheme) ? scheme : null,
      locales: about.locales.map((code) => ({ code, name: languageName(code), isCurrent: code === locale })),
      hasCustomSheet: this.assets.has('custom.css'),
      pageTitle: heading,
    };
    const html = await this.renderer.page(template, locale, { ...around, ...values }, context, { layout: LAYOUT });
    return new PageResponse(status, html, {
      ...pageHeaders([...imageHosts, ...brand.logoOrigins]),
      'Content-Language': locale,
      Vary: 'Accept, Authorization',
    });
  }
}
