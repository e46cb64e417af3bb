import type { DatabaseConfig } from '../../src/database/index.js';
import { PATIENCE } from './patience.js';

/** Changes of the configuration by a test. */
export interface ConfigChanges {
  pool?: Partial<DatabaseConfig['pool']>;
  statementTimeout?: number;
}

/** The default configuration for another place, with the patience of tests. */
export function testConfig(
  url: string,
  { pool = {}, statementTimeout = PATIENCE.statement }: ConfigChanges = {},
): DatabaseConfig {
  return {
    url,
    statementTimeout,
    pool: { max: 10, min: 0, acquire: PATIENCE.connection, idle: 10_000, ...pool },
    tls: { mode: 'off', caFile: undefined },
    startWait: 60,
    migrationWait: 300,
  };
}
