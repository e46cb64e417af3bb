import type { AuthContext, ModuleCommand, PortalParts } from '../../index.js';
import type { Enrolment } from './enrolment.js';

const CONTEXTS: Readonly<Record<string, AuthContext>> = { admin: 'admin', developer: 'consumer' };
/** Stands in for the request, which a command does not have. */
const REQUEST = { requestId: 'mfa:reset', ip: '', userAgent: '' };
const USAGE = 2;

/** The last resort if nobody else can reset a lost factor. */
export function resetCommand(enrolmentOf: (portal: PortalParts) => Enrolment): ModuleCommand {
  return {
    name: 'mfa:reset',
    summary: 'take the second factors of an account away',
    description:
      'For an admin or a developer who lost their authenticator and their recovery codes. Every sign-in of the account ' +
      'ends and its owner is told by mail. Make sure who asks.',
    example: 'portal mfa:reset admin grace@example.com',
    arguments: {
      context: { description: 'admin or developer' },
      email: { description: 'the address of the account' },
    },
    run: async ({ portal, args: { context = '', email = '' }, line, json }) => {
      const known = Object.hasOwn(CONTEXTS, context) ? CONTEXTS[context] : undefined;
      if (known === undefined) {
        line(`Say whose factors: admin or developer, not ${JSON.stringify(context)}.`);
        return USAGE;
      }
      const found = await portal.services.auth.directory.findByEmail(known, email);
      if (!found) {
        line(`There is no ${context} with the address ${email}.`);
        return 1;
      }
      await enrolmentOf(portal).reset({ account: found.account, request: REQUEST });
      line(`The second factors of ${found.account.email} are gone, and every sign-in of the account has ended.`);
      json({ context, email: found.account.email, reset: true });
      return 0;
    },
  };
}
