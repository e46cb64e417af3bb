import { foldSpaces } from '../core/index.js';
import { Dictionary, directionOf, TemplateFiles, ViewEngine, type MessageValues } from '../templates/index.js';
import type { MailMessage } from './contracts.js';

type MailValues = Readonly<Record<string, string | number | null>>;

/** A heading in a mail with what belongs to it; URLs are absolute. */
export interface MailSection {
  readonly title: string;
  readonly url: string | null;
  readonly lines: readonly MailValues[];
}

/** A mail to write: its template and the values for it. */
export interface MailDraft {
  /** For example `password-reset`: `mail/password-reset.hbs`, its `.txt.hbs`, and the messages under `mail.password-reset`. */
  readonly template: string;
  readonly to: string;
  readonly locale: string;
  /** The recipient's name, for the greeting. */
  readonly name?: string;
  /**
   * The address is not known to belong to whoever triggers the mail: such mails are limited per address and contain no
   * links to elsewhere.
   */
  readonly isUnproved?: boolean;
  /** Address that takes a POST without a sign-in and ends mails like this one (RFC 8058). */
  readonly unsubscribe?: string;
  /** Values for the messages; URLs are absolute. Stored encrypted until the mail is sent. */
  readonly values: MailValues;
  /** Lists, for templates that have some; kept like the values. */
  readonly sections?: readonly MailSection[];
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

/** Renders mails from templates: `mail/<name>.hbs` for the HTML part, `mail/<name>.txt.hbs` for the text part. */
export class MailTemplates {
  private readonly views: ViewEngine;

  constructor(private readonly settings: MailTemplateSettings) {
    const { folders, defaultLocale, keep } = settings;
    const files = new TemplateFiles(folders);
    this.views = new ViewEngine(files, new Dictionary(files, defaultLocale, keep), { partials: () => PARTIALS, keep });
  }

  /** @throws Error if a template cannot be read or does not compile */
  async write(draft: MailDraft): Promise<Pick<MailMessage, 'subject' | 'text' | 'html'>> {
    const { portalName, portalUrl } = this.settings;
    const { template, locale, name, values, sections } = draft.isUnproved ? withoutLinks(draft) : draft;
    const messageValues: MessageValues = { ...values, portal: portalName };
    const subject = await this.views.say(`mail.${template}.subject`, locale, messageValues);
    const direction = directionOf(locale);
    const frame = { words: `mail.${template}`, name, subject, locale, direction, home: portalUrl() };
    const data = { ...messageValues, ...frame, sections };
    const [html, text] = await Promise.all([
      this.views.render(`mail/${template}.hbs`, locale, data),
      this.views.render(`mail/${template}.txt.hbs`, locale, data),
    ]);
    // A subject is a single line, whatever a name in it contains.
    return { subject: foldSpaces(subject), html, text };
  }
}

/** What mail clients turn into a link, or what starts a new paragraph. */
const LEADS_ELSEWHERE = /:\/\/|\bwww\.|[\r\n\u2028\u2029]/i;
/** A bare `evil.example`, which mail clients turn into a link too. */
const LOOKS_LIKE_HOST = /\.\p{L}{2,}(?:[/\s]|$)/u;

/** Values that the portal makes itself, as addresses of its own. */
const OUR_LINKS = ['url', 'unsubscribe', 'profile'];

const isHarmless = (text: string): boolean => !LEADS_ELSEWHERE.test(text);

// A stranger may have written these texts, which the portal would send in its own name to somebody who never asked for it.
function withoutLinks({ name, values, sections = [], ...draft }: MailDraft): MailDraft {
  const greets = name !== undefined && isHarmless(name) && !LOOKS_LIKE_HOST.test(name);
  const kept = sections.map(({ title, url, lines }) => ({
    title: isHarmless(title) ? title : '…',
    ...{ url, lines: lines.map(keepHarmless) },
  }));
  return { ...draft, ...(greets && { name }), values: keepHarmless(values), sections: kept };
}

function keepHarmless(values: MailValues): MailValues {
  const kept = Object.entries(values).map(([key, value]) => {
    const isOurs = OUR_LINKS.includes(key) || typeof value !== 'string' || isHarmless(value);
    return [key, isOurs ? value : '…'] as const;
  });
  return Object.fromEntries(kept);
}
