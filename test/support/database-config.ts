import type { DatabaseConfig } from '../../src/database/index.js';

/** What a test may change of the configuration. */
export interface ConfigChanges {
  pool?: Partial<DatabaseConfig['pool']>;
  statementTimeout?: number;
}

/** The default configuration for another place. */
export function testConfig(url: string, { pool = {}, statementTimeout = 2500 }: ConfigChanges = {}): DatabaseConfig {
  return {
    url,
    statementTimeout,
    pool: { max: 10, min: 0, acquire: 2500, idle: 10_000, ...pool },
    tls: { mode: 'off', caFile: undefined },
    startWait: 5,
    migrationWait: 20,
  };
}
