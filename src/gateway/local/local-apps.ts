import { ForeignKeyViolationError, UniqueViolationError, type Database } from '../../database/index.js';
import type {
  AppAddress,
  CreatedApp,
  DeveloperAddress,
  GatewayApp,
  GatewayApps,
  GatewayStatus,
  NewKey,
} from '../contract.js';
import { GatewayConflictError, GatewayNotFoundError } from '../errors.js';
import { findLocalApp } from './find-app.js';
import type { LocalKeys } from './local-keys.js';
import { localAppRecord } from './records.js';

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
        const row = { developerId: developer.id, portalId, name, status };
        const id = await localAppRecord.insert(this.database, row, transaction);
        return { appId: String(id), key: key && (await this.keys.insert(id, key, transaction)) };
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
    await localAppRecord.update(this.database, { id }, { status });
  }

  async move(app: AppAddress, to: DeveloperAddress): Promise<undefined> {
    const { portalId, name } = app;
    if (await localAppRecord.has(this.database, { developerId: to.id, portalId })) return undefined;
    const id = await findLocalApp(this.database, app);
    const detail = `app ${name} to developer ${to.id}`;
    try {
      await localAppRecord.update(this.database, { id }, { developerId: to.id });
      return undefined;
    } catch (error) {
      if (error instanceof UniqueViolationError) throw new GatewayConflictError({ detail, cause: error });
      if (error instanceof ForeignKeyViolationError) throw new GatewayNotFoundError({ detail, cause: error });
      throw error;
    }
  }

  async remove({ developer, portalId }: AppAddress): Promise<void> {
    await localAppRecord.remove(this.database, { developerId: developer.id, portalId });
  }
}
