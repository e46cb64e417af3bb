import { duration, integer, list, text, type OptionValues } from '../../core/index.js';

const guardName = { regex: /^[A-Za-z][\w-]{0,31}$/, hint: 'a name of letters, digits, - and _' };

/** The part of `portalApi` that signs tokens. */
export const tokenOptions = {
  accessTtl: duration(900, 'Lifetime of an access token; a bare number counts minutes.', {
    unit: 'minutes',
    min: 60,
    max: 86_400,
  }),
  refreshTtl: duration(2_592_000, 'Lifetime of a refresh token; a bare number counts days.', {
    unit: 'days',
    min: 3_600,
    max: 31_536_000,
  }),
  refreshFamilyTtl: duration(
    7_776_000,
    'A sign-in ends after this long however often its refresh token is exchanged; a bare number counts days.',
    { unit: 'days', min: 3_600, max: 31_536_000 },
  ),
  jwtSecret: text('', 'HS256 secret of 32 bytes or more; each context signs with a key derived from it.', {
    secret: true,
    derived: 'none: required unless both portalApi.jwtKeys are set',
  }),
  jwtPreviousSecrets: list([], 'Earlier values of portalApi.jwtSecret; tokens they signed are still accepted.', {
    secret: true,
  }),
  jwtKeys: {
    consumer: text('', 'PEM private key for consumer tokens: RSA ≥ 2048 bit signs RS256, EC P-256 signs ES256.', {
      secret: true,
    }),
    admin: text('', 'PEM private key for admin tokens; must differ from the consumer one.', { secret: true }),
  },
  jwtPreviousKeys: {
    consumer: list([], 'Earlier PEM private or public keys of consumer tokens, still accepted.', {
      secret: true,
    }),
    admin: list([], 'Earlier PEM private or public keys of admin tokens, still accepted.', { secret: true }),
  },
  guards: {
    consumer: text('api', 'Guard of the routes of developers: `api`, or one that `guards` of portal.config.ts gives.', {
      pattern: guardName,
    }),
    admin: text('admin', 'Guard of the routes of admins: `admin`, or one that `guards` of portal.config.ts gives.', {
      pattern: guardName,
    }),
  },
};

/** Under `accounts.password`. Lower than the defaults is refused (S04). */
export const passwordOptions = {
  minLength: integer(8, 'Least characters of a developer’s password.', { min: 8, max: 64 }),
  adminMinLength: integer(12, 'Least characters of an admin’s password.', { min: 12, max: 64 }),
};

/** Every number of the limits of S09, S10, S13 and S14. */
export const limitOptions = {
  login: {
    perAccountAndIp: {
      max: integer(5, 'Failed logins of one account from one IP per window.', { min: 1 }),
      window: duration(60, 'Window of limits.login.perAccountAndIp.'),
    },
    perAccount: {
      max: integer(10, 'Failed logins of one account from anywhere per window, then it is locked for a while.', {
        min: 1,
      }),
      window: duration(900, 'Window of limits.login.perAccount.'),
    },
    lockout: {
      initial: duration(30, 'First lock of an account; doubles with each further failure.'),
      max: duration(900, 'Longest lock of an account.'),
    },
    maxConsecutive: integer(
      100,
      'Failures in a row after which only a password reset or an admin unlocks the account; 100 at most (NIST SP 800-63B).',
      { min: 1, max: 100 },
    ),
  },
  ip: {
    requests: {
      max: integer(
        30,
        'Requests of one IP to login, register, forgot and reset together per window; as many passwords that are proved anew.',
        { min: 1 },
      ),
      window: duration(60, 'Window of limits.ip.requests.'),
    },
    failingAccounts: {
      max: integer(20, 'Distinct accounts that may fail to log in from one IP per window.', { min: 1 }),
      window: duration(600, 'Window of limits.ip.failingAccounts.'),
    },
  },
  register: {
    perHour: integer(5, 'Answers that reveal a taken e-mail, per IP and hour.', { min: 1 }),
    perDay: integer(20, 'Answers that reveal a taken e-mail, per IP and day.', { min: 1 }),
  },
  mails: {
    perUnprovedAddress: integer(
      10,
      'Mails of any kind per hour to an address whose owner has not opened a link yet; further ones are not sent.',
      { min: 1 },
    ),
  },
  forgotPassword: {
    perAccount: integer(3, 'Mails with a link per address and hour, whoever asks for them.', { min: 1 }),
    perIp: integer(10, 'Reset requests per IP and hour.', { min: 1 }),
  },
  password: {
    changes: {
      max: integer(10, 'New passwords of one account per window, by itself or by the link of a reset.', { min: 1 }),
      window: duration(3_600, 'Window of limits.password.changes.'),
    },
  },
  refresh: {
    perFamily: integer(60, 'Refresh and logout requests of one token family per minute.', { min: 1 }),
    perIp: integer(600, 'Refresh and logout requests of one IP per minute.', { min: 1 }),
  },
};

export type TokenConfig = OptionValues<typeof tokenOptions>;
export type PasswordConfig = OptionValues<typeof passwordOptions>;
export type LimitConfig = OptionValues<typeof limitOptions>;
