import { choice, integer, text, type OptionValues } from '../core/index.js';

/**
 * The section `database`. Both time limits stay well under 3 s, so that a request is answered within 3 s even when the
 * server is frozen (R06): after one timeout, later statements wait only briefly (`drivers/outage-detector.ts`).
 */
export const databaseOptions = {
  url: text(
    'sqlite:storage/portal.sqlite',
    'Where the data lives: `sqlite:<file>` (relative to the project) or `mysql://user:password@host:port/name`, for MySQL and MariaDB alike.',
    {
      pattern: {
        regex: /^(sqlite:(?!:memory:).+|(mysql|mariadb):\/\/[^/]+\/[^/?].*)$/,
        hint: 'sqlite:<file> or mysql://user:password@host:port/name',
      },
    },
  ),
  statementTimeout: integer(
    2000,
    'Milliseconds after which a statement of a request is given up (MySQL and MariaDB; migrations are not limited).',
    { min: 100, max: 600_000 },
  ),
  pool: {
    max: integer(10, 'Most connections of one process (MySQL and MariaDB).', { min: 1, max: 1000 }),
    min: integer(0, 'Connections kept open while idle.', { max: 1000 }),
    acquire: integer(2000, 'Milliseconds that a request waits for a free connection before it is answered with 503.', {
      min: 100,
      max: 600_000,
    }),
    idle: integer(10_000, 'Milliseconds after which an unused connection is closed.', { min: 1000 }),
  },
  tls: {
    mode: choice(
      ['off', 'verify'],
      'off',
      'Encryption towards MySQL and MariaDB: `verify` demands TLS and a certificate that belongs to the host.',
    ),
    caFile: text(undefined, 'File with the certificate authority of the database server (PEM), for private ones.'),
  },
  startWait: integer(
    60,
    'Seconds that portal serve waits at its start for a database that does not answer before it gives up (R04).',
    { max: 3600 },
  ),
  migrationWait: integer(
    60,
    'Seconds that a migration run waits for another process that is migrating before it gives up.',
    { max: 3600 },
  ),
};

export type DatabaseConfig = OptionValues<typeof databaseOptions>;
