import {
  bytes,
  choice,
  duration,
  flag,
  integer,
  list,
  originPattern,
  path,
  text,
  type OptionValues,
} from '../core/index.js';

export const appOptions = {
  name: text('Developer Portal', 'Public name of the portal, shown in pages and mails.'),
  url: text('', 'Base URL. Every absolute link is made from it, never from a request header.', {
    derived: 'http://<server.host>:<server.port>; required in production',
  }),
  env: choice(
    ['development', 'production', 'test'],
    'production',
    'Where this runs. Unsafe values warn in development and refuse the start in production.',
  ),
  key: text(
    '',
    'Master key of 32 bytes or more, from which the encryption, session and CSRF keys are derived (HKDF).',
    {
      secret: true,
      derived: 'none: required; base64:… or hexadecimal',
    },
  ),
  previousKeys: list([], 'Earlier values of app.key, newest first; they still decrypt.', { secret: true }),
  allowedHosts: list([], 'Host names that requests may carry; others get 400.', {
    derived: 'the host of app.url; outside production also localhost, 127.0.0.1 and [::1]',
    pattern: { regex: /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])$/, hint: 'lower-case host names without scheme and port' },
  }),
  allowHttp: flag(false, 'Accept a plain http app.url outside development; cookies then lose Secure.'),
  trustProxy: integer(0, 'Number of trusted proxy hops in front of the portal; false is 0, true is refused.', {
    max: 16,
    falseIsZero: true,
  }),
  logLevel: choice(['debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info', 'Least severe level that is logged.'),
};

export const serverOptions = {
  port: integer(3000, 'TCP port; 0 takes any free one.', { max: 65_535, env: ['PORT'] }),
  host: text('127.0.0.1', 'Address to listen on; 0.0.0.0 or :: for all.'),
  workers: integer(1, 'Processes that portal serve answers with; 0 is one for each processor.', { max: 128 }),
  drainDelay: integer(
    0,
    'Seconds between the signal to end and the end of listening, twice as many while requests come: readiness says 503, so that load balancers go elsewhere.',
    { max: 120, derived: '3 in production, else 0' },
  ),
};

export const httpOptions = {
  bodyLimit: bytes(102_400, 'Largest request body, in bytes or as 100kb.', { max: 104_857_600 }),
  sendTimeout: duration(30, 'A client that takes nothing of its answer for so long is cut off.', {
    min: 1,
    max: 3_600,
  }),
  answerMemory: bytes(
    134_217_728,
    'Memory for large answers (64 kB and more) that clients are reading, in bytes or as 128mb; what many read counts once. Beyond it they get 503.',
    { min: 1_048_576 },
  ),
};

/** The options of `portalApi` for the HTTP surface. */
export const apiSurfaceOptions = {
  enabled: flag(
    true,
    'Serve the REST API. Off, its addresses answer 404, but for /health and the uploaded pictures that pages show; theme and verify go on.',
  ),
  prefix: path('/api/v1', 'Where the REST API lives.'),
  adminPrefix: path('admin', 'Where the admin part lives, under portalApi.prefix.'),
  pagination: {
    perPage: integer(15, 'Records per page when a client does not say.', { min: 1 }),
    maxPerPage: integer(100, 'Most records per page that a client may ask for.', { min: 1, max: 1000 }),
  },
  cors: {
    origins: list([], 'Exact origins that browsers may call the API from.', {
      // `*` is refused deliberately: origins must be listed.
      pattern: originPattern('https://app.example.com'),
    }),
  },
};

export type AppConfig = OptionValues<typeof appOptions>;
export type ServerConfig = OptionValues<typeof serverOptions>;
export type HttpConfig = OptionValues<typeof httpOptions>;
export type ApiSurfaceConfig = OptionValues<typeof apiSurfaceOptions>;
