import { Dictionary, directionOf, TemplateFiles, ViewEngine, type WordValues } from '../templates/index.js';
import type { MailMessage } from './contracts.js';

/** A mail to be written: the name of its template and what the template may say. */
export interface MailDraft {
  /** For example `password-reset`: `mail/password-reset.hbs`, its `.txt.hbs`, and the words `mail.password-reset`. */
  readonly template: string;
  readonly to: string;
  readonly locale: string;
  /** Of the person, for the greeting. */
  readonly name?: string;
  /**
   * The address is not known to belong to whoever triggers the mail: such mails are limited per address and contain no
   * links to elsewhere.
   */
  readonly isUnproved?: boolean;
  /** Values of the words; addresses are absolute. Kept encrypted until the mail is sent. */
  readonly values: Readonly<Record<string, string | number | null>>;
}

export interface MailTemplateSettings {
  /** Folders with `mail/` and `lang/`, the host's first. */
  readonly folders: readonly string[];
  readonly defaultLocale: string;
  readonly portalName: string;
  readonly portalUrl: () => string;
  readonly keep: boolean;
}

const PARTIALS = { 'mail::layout': 'mail/layout.hbs', 'mail::button': 'mail/button.hbs' };

/** Mails from templates: `mail/<name>.hbs` for the page, `mail/<name>.txt.hbs` for the text beside it. */
export class MailTemplates {
  private readonly views: ViewEngine;

  constructor(private readonly settings: MailTemplateSettings) {
    const { folders, defaultLocale, keep } = settings;
    const files = new TemplateFiles(folders);
    this.views = new ViewEngine(files, new Dictionary(files, defaultLocale, keep), { partials: () => PARTIALS, keep });
  }

  /** @throws Error for a template that cannot be read or does not compile */
  async write(draft: MailDraft): Promise<Pick<MailMessage, 'subject' | 'text' | 'html'>> {
    const { portalName, portalUrl } = this.settings;
    const { template, locale, name, values } = draft.isUnproved ? withoutLinks(draft) : draft;
    const words: WordValues = { ...values, portal: portalName };
    const subject = await this.views.say(`mail.${template}.subject`, locale, words);
    const direction = directionOf(locale);
    const data = { ...words, words: `mail.${template}`, name, subject, locale, direction, home: portalUrl() };
    const [html, text] = await Promise.all([
      this.views.render(`mail/${template}.hbs`, locale, data),
      this.views.render(`mail/${template}.txt.hbs`, locale, data),
    ]);
    // A subject is one line, whatever a name in it holds.
    return { subject: subject.replace(/\s+/g, ' ').trim(), html, text };
  }
}

/** What mail programs make a link of, or what begins a paragraph of its own. */
const LEADS_ELSEWHERE = /:\/\/|\bwww\.|[\r\n\u2028\u2029]/i;
/** `evil.example` alone: programs make links of that, too. */
const LOOKS_LIKE_HOST = /\.\p{L}{2,}(?:[/\s]|$)/u;

// A stranger may have written these texts, and the portal would send them in its name to somebody who never asked.
function withoutLinks({ name, values, ...draft }: MailDraft): MailDraft {
  const harmless = (text: string): boolean => !LEADS_ELSEWHERE.test(text);
  const kept = Object.entries(values).map(([key, value]) => {
    const isOurs = key === 'url' || typeof value !== 'string' || harmless(value);
    return [key, isOurs ? value : '…'] as const;
  });
  const greets = name !== undefined && harmless(name) && !LOOKS_LIKE_HOST.test(name);
  return { ...draft, ...(greets && { name }), values: Object.fromEntries(kept) };
}
