import { ForeignKeyViolationError, UniqueViolationError, type Database } from '../../database/index.js';
import type { AppAddress, CreatedApp, GatewayApp, GatewayApps, GatewayStatus, NewKey } from '../contract.js';
import { GatewayConflictError, GatewayNotFoundError } from '../errors.js';
import { findLocalApp } from './find-app.js';
import type { LocalKeys } from './local-keys.js';

/** Display name, description and callback are ignored: this gateway does not need them. */
export class LocalApps implements GatewayApps {
  constructor(
    private readonly database: Database,
    private readonly keys: LocalKeys,
  ) {}

  async create(app: GatewayApp, key: NewKey | null): Promise<CreatedApp> {
    const { developer, portalId, name, status } = app;
    try {
      return await this.database.transaction(async (transaction) => {
        const { insertId } = await this.database.execute(
          'INSERT INTO portal_gateway_apps (developer_id, portal_id, name, status) VALUES (?, ?, ?, ?)',
          [developer.id, portalId, name, status],
          { transaction },
        );
        return { appId: String(insertId), key: key && (await this.keys.insert(insertId, key, transaction)) };
      });
    } catch (error) {
      const detail = `developer ${developer.id}, app ${name}`;
      if (error instanceof UniqueViolationError) throw new GatewayConflictError({ detail, cause: error });
      if (error instanceof ForeignKeyViolationError) throw new GatewayNotFoundError({ detail, cause: error });
      throw error;
    }
  }

  async update(app: GatewayApp): Promise<void> {
    await findLocalApp(this.database, app);
  }

  async setStatus(app: AppAddress, status: GatewayStatus): Promise<void> {
    const id = await findLocalApp(this.database, app);
    await this.database.execute('UPDATE portal_gateway_apps SET status = ? WHERE id = ?', [status, id]);
  }

  async remove({ developer, portalId }: AppAddress): Promise<void> {
    const sql = 'DELETE FROM portal_gateway_apps WHERE developer_id = ? AND portal_id = ?';
    await this.database.execute(sql, [developer.id, portalId]);
  }
}
