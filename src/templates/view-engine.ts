import type Handlebars from 'handlebars';
import { formatDate, say, type Dictionary, type Messages, type MessageValues } from './messages.js';
import type { TemplateFiles } from './template-files.js';

type HandlebarsEnvironment = typeof Handlebars;
type Template = Handlebars.TemplateDelegate;

/** What every template can read in addition to its own values. */
export interface RenderContext {
  readonly locale: string;
  readonly messages: Messages;
}

export interface ViewEngineOptions {
  /** Partial name → file, for example `theme::ui.card` → `partials/ui/card.hbs`; called once if templates are cached. */
  readonly partials: () => Readonly<Record<string, string>>;
  readonly helpers?: Readonly<Record<string, Handlebars.HelperDelegate>>;
  /** Cache compiled templates; development compiles those that changed. */
  readonly keep: boolean;
}

/**
 * Handlebars over files with fixed names, limited to own properties (S67): nothing from a visitor or a record is ever
 * compiled as a template, and no template reaches a prototype.
 */
export class ViewEngine {
  private readonly compiled = new Map<string, { readonly text: string; readonly template: Template }>();
  private environment: Promise<HandlebarsEnvironment> | undefined;

  constructor(
    private readonly files: TemplateFiles,
    private readonly dictionary: Dictionary,
    private readonly options: ViewEngineOptions,
  ) {}

  /**
   * @param name the file, for example `pages/landing.hbs`; a `.txt.hbs` is not escaped, for it is not HTML
   * @param surroundings for helpers, in addition to locale and messages
   */
  async render(name: string, locale: string, values: object, surroundings: object = {}): Promise<string> {
    // Synchronous once everything is cached: pages are rendered far more often than templates are read.
    const template = this.getCached(name);
    const messages = this.dictionary.getCached(locale);
    if (template && messages) {
      return this.fill(template, undefined, values, { ...surroundings, locale, messages });
    }
    const environment = await this.prepare();
    // Cached partials are registered with the environment instead.
    const partials = this.options.keep ? undefined : await this.partials(environment);
    const context = { ...surroundings, locale, messages: await this.dictionary.messages(locale) };
    return this.fill(await this.template(environment, name), partials, values, context);
  }

  private getCached(name: string): Template | undefined {
    return this.options.keep ? this.compiled.get(name)?.template : undefined;
  }

  private fill(
    template: Template,
    partials: Record<string, Template> | undefined,
    values: object,
    context: RenderContext,
  ): string {
    return template(values, {
      data: { context },
      ...(partials && { partials }),
      allowProtoPropertiesByDefault: false,
      allowProtoMethodsByDefault: false,
    });
  }

  messages(locale: string): Promise<Messages> {
    return this.dictionary.messages(locale);
  }

  /** One message, for text outside of templates: mail subjects, titles. */
  async say(key: string, locale: string, values: MessageValues = {}): Promise<string> {
    return say(this.dictionary.getCached(locale) ?? (await this.dictionary.messages(locale)), locale, key, values);
  }

  private async partials(environment: HandlebarsEnvironment): Promise<Record<string, Template>> {
    const names = Object.entries(this.options.partials());
    const templates = await Promise.all(
      names.map(async ([partial, file]) => [partial, await this.template(environment, file)] as const),
    );
    return Object.fromEntries(templates);
  }

  private async template(environment: HandlebarsEnvironment, name: string): Promise<Template> {
    const cached = this.compiled.get(name);
    if (cached && this.options.keep) return cached.template;
    const { text, file } = await this.files.read(name);
    if (cached?.text === text) return cached.template;
    const options = {
      ...{ noEscape: name.endsWith('.txt.hbs'), preventIndent: true, srcName: file },
      // Names without arguments are then always values, and an unknown helper fails here rather than on the page.
      ...{ knownHelpers: knownOf(environment), knownHelpersOnly: true },
    };
    const template = environment.compile(text, options);
    this.compiled.set(name, { text, template });
    return template;
  }

  // Loaded with the first page, so that commands that render nothing start faster.
  private prepare(): Promise<HandlebarsEnvironment> {
    if (this.environment) return this.environment;
    const loading = this.load();
    loading.catch(() => (this.environment = undefined));
    return (this.environment = loading);
  }

  private async load(): Promise<HandlebarsEnvironment> {
    const { default: handlebars } = await import('handlebars');
    const environment = handlebars.create();
    registerHelpers(environment);
    for (const [name, helper] of Object.entries(this.options.helpers ?? {})) environment.registerHelper(name, helper);
    if (this.options.keep) environment.registerPartial(await this.partials(environment));
    return environment;
  }
}

function knownOf({ helpers }: HandlebarsEnvironment): Record<string, boolean> {
  return Object.fromEntries(Object.keys(helpers).map((name) => [name, true]));
}

/** `{{t "apps.title" count=3}}`, `{{date created_at}}`, `{{time created_at}}`, `{{#if (eq status "pending")}}`. */
function registerHelpers(environment: HandlebarsEnvironment): void {
  const contextOf = (options: Handlebars.HelperOptions) => (options.data as { context: RenderContext }).context;
  environment.registerHelper({
    t: (key: string, options: Handlebars.HelperOptions) => {
      const { messages, locale } = contextOf(options);
      return say(messages, locale, key, options.hash as MessageValues);
    },
    date: (value: unknown, options: Handlebars.HelperOptions) => formatInstant(value, contextOf(options).locale, 'date'),
    time: (value: unknown, options: Handlebars.HelperOptions) => formatInstant(value, contextOf(options).locale, 'long'),
    eq: (a: unknown, b: unknown) => a === b,
    not: (value: unknown) => !value,
    concat: (...parts: unknown[]) => parts.slice(0, -1).join(''),
  });
}

function formatInstant(value: unknown, locale: string, style: 'date' | 'long'): string {
  return value instanceof Date ? formatDate(value, locale, style) : '';
}
