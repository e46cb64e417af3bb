import { UniqueViolationError, type Database } from '../../database/index.js';
import type { DeveloperAddress, GatewayDeveloper, GatewayDevelopers, GatewayDeveloperStatus } from '../contract.js';
import { GatewayNotFoundError } from '../errors.js';

export class LocalDevelopers implements GatewayDevelopers {
  constructor(private readonly database: Database) {}

  async ensure(developer: GatewayDeveloper): Promise<string> {
    if (await this.update(developer)) return developer.id;
    try {
      const sql = 'INSERT INTO portal_gateway_developers (id, email, status) VALUES (?, ?, ?)';
      await this.database.execute(sql, [developer.id, developer.email, developer.status]);
    } catch (error) {
      // A concurrent request of the same developer came first.
      if (!(error instanceof UniqueViolationError)) throw error;
      await this.update(developer);
    }
    return developer.id;
  }

  async setStatus({ id }: DeveloperAddress, status: GatewayDeveloperStatus): Promise<void> {
    const sql = 'UPDATE portal_gateway_developers SET status = ? WHERE id = ?';
    const { affectedRows } = await this.database.execute(sql, [status, id]);
    if (affectedRows === 0) throw new GatewayNotFoundError({ detail: `the local gateway has no developer ${id}` });
  }

  async remove({ id }: DeveloperAddress): Promise<void> {
    await this.database.execute('DELETE FROM portal_gateway_developers WHERE id = ?', [id]);
  }

  private async update({ id, email }: GatewayDeveloper): Promise<boolean> {
    const sql = 'UPDATE portal_gateway_developers SET email = ? WHERE id = ?';
    const { affectedRows } = await this.database.execute(sql, [email, id]);
    return affectedRows > 0;
  }
}
