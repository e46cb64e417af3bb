import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Dictionary, TemplateFiles, ViewEngine } from '../../templates/index.js';
import { THEME_HELPERS, messagesBelow, type ThemeContext } from './template-helpers.js';

const PLAIN_LAYOUT = 'layouts/plain.hbs';
const BANNER = 'partials/viewing.hbs';

interface RendererSettings {
  /** The host's published views, then the package's. */
  readonly folders: readonly string[];
  /** The same for messages. */
  readonly messageFolders: readonly string[];
  readonly defaultLocale: string;
  readonly keep: boolean;
}

/** Renders pages: `pages/<name>.hbs` inside of `layouts/main.hbs`. */
export class Renderer {
  private readonly views: ViewEngine;

  constructor({ folders, messageFolders, defaultLocale, keep }: RendererSettings) {
    const dictionary = new Dictionary(new TemplateFiles(messageFolders), defaultLocale, keep);
    const options = { partials: () => partialsIn(folders), helpers: THEME_HELPERS, keep };
    this.views = new ViewEngine(new TemplateFiles(folders), dictionary, options);
  }

  /**
   * @param layout template of the layout
   * @param isViewed by an admin as a developer, which every page says, whatever the layout that a host has published
   */
  async page(
    template: string,
    locale: string,
    values: object,
    context: ThemeContext,
    { layout, isViewed = false }: { readonly layout: string; readonly isViewed?: boolean },
  ): Promise<string> {
    const body = await this.views.render(`pages/${template}.hbs`, locale, values, context);
    const html = await this.views.render(layout, locale, { ...values, body: { toHTML: () => body } }, context);
    return isViewed ? withBanner(html, await this.views.render(BANNER, locale, values, context)) : html;
  }

  /** An error page in `layouts/plain.hbs`. */
  renderPlain(locale: string, values: object, context: ThemeContext): Promise<string> {
    return this.views.render(PLAIN_LAYOUT, locale, values, context);
  }

  say(key: string, locale: string, values: Readonly<Record<string, string | number>> = {}): Promise<string> {
    return this.views.say(key, locale, values);
  }

  /** All messages of a section by key. */
  async messages(section: string, locale: string): Promise<Readonly<Record<string, string>>> {
    return messagesBelow(await this.views.messages(locale), section);
  }
}

function withBanner(html: string, banner: string): string {
  const body = html.indexOf('<body');
  const start = body < 0 ? 0 : html.indexOf('>', body) + 1;
  return html.slice(0, start) + banner + html.slice(start);
}

/** `partials/ui/card.hbs` is `theme::ui.card`; a host may add partials. */
function partialsIn(folders: readonly string[]): Record<string, string> {
  const partials: Record<string, string> = {};
  for (const folder of folders) {
    for (const file of filesBelow(join(folder, 'partials'))) {
      const path = relative(folder, file).replaceAll('\\', '/');
      const name = path.replace(/^partials\//, '').replace(/\.hbs$/, '');
      partials[`theme::${name.replaceAll('/', '.')}`] = path;
    }
  }
  return partials;
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.hbs'))
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
