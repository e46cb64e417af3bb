import type { Database } from '../../database/index.js';

interface SettingRow {
  readonly key: string;
  readonly value: string | null;
  readonly type: 'string' | 'integer' | 'float' | 'boolean' | 'json' | 'secret';
}

/** The settings that admins declared public, as everybody may read them. */
export class PublicSettings {
  constructor(private readonly database: Database) {}

  /** Key → typed value. A secret never is public, whatever its row says. */
  async read(): Promise<Record<string, unknown>> {
    const rows = await this.database.select<SettingRow>(
      `SELECT setting_key AS \`key\`, value, type FROM portal_settings
       WHERE is_public = ? AND type <> 'secret' ORDER BY setting_key`,
      [true],
    );
    return Object.fromEntries(rows.map(({ key, value, type }) => [key, value === null ? null : typed(value, type)]));
  }
}

function typed(value: string, type: SettingRow['type']): unknown {
  switch (type) {
    case 'integer':
    case 'float':
      return Number(value);
    case 'boolean':
      return value === 'true' || value === '1';
    case 'json':
      return parsed(value);
    case 'string':
    case 'secret':
      return value;
  }
}

// A row that somebody edited by hand must not take the public configuration away from everybody.
function parsed(value: string): unknown {
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return null;
  }
}
