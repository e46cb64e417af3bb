import { createMailer, MailOutbox, MailTemplates, OutboxDelivery, type Mailer } from '../mail/index.js';
import type { AccountPages, RequestLimits } from '../domain/auth/index.js';
import type { DomainBase } from './base.js';
import { requireMethods } from '../extend/extensions.js';
import { templateFolders } from './templates.js';

interface MailRoom {
  readonly outbox: MailOutbox;
  readonly delivery: OutboxDelivery;
  readonly mailer: Mailer;
}

/** The outbox and its delivery; the mailer may be the host's own. */
export function createMail(base: DomainBase, limits: RequestLimits): MailRoom {
  const { config, extensions, address } = base;
  const { app, theme, mail } = config;
  const mailer = extensions.mailer
    ? requireMethods('mailer', extensions.mailer(base), ['send'])
    : createMailer(mail, base);
  const templates = new MailTemplates({
    folders: templateFolders(base),
    defaultLocale: theme.locale,
    portalName: app.name,
    portalUrl: () => address.base(),
    keep: app.env !== 'development',
  });
  return {
    outbox: new MailOutbox(base),
    delivery: new OutboxDelivery({
      ...base,
      mailer,
      templates,
      from: mail.from,
      mayReach: (to) => limits.mayReach(to),
    }),
    mailer,
  };
}

/** Pages of the theme that mails link to. A host without the theme serves these paths or redirects them. */
export function accountPages({ config, address }: DomainBase): AccountPages {
  const page = (path: string) => `${address.base()}/${config.theme.routePrefix}${path}`;
  return {
    signIn: () => page('/login'),
    forgotPassword: () => page('/forgot-password'),
    resetPassword: (token) => page(`/reset-password/${token}`),
    verifyEmail: (token) => page(`/verify-email/${token}`),
    app: (name) => page(`/apps/${encodeURIComponent(name)}`),
  };
}
