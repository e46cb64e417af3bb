import type { Database } from '../../../database/index.js';
import type { Encrypter } from '../../../core/index.js';
import type { MoveJournal } from '../../../gateway/index.js';
import { OvertakenError } from '../errors.js';
import { operationRecord, type OperationPayload } from './operation.js';

/**
 * Notes that a driver takes between the steps of moving an app. They are encrypted in the log entry of the transfer and deleted with
 * it. Between two steps they may hold the only copy of a key and its secret.
 */
export class TransferJournal implements MoveJournal {
  private begun = false;

  /** @param entry id of the log entry */
  constructor(
    private readonly database: Database,
    private readonly encrypter: Encrypter,
    private readonly entry: number,
  ) {}

  /** Whether the gateway may have parts of the app at both owners. */
  get hasBegun(): boolean {
    return this.begun;
  }

  async read(): Promise<string | null> {
    const { kept } = await this.payload();
    if (kept !== undefined) this.begun = true;
    return typeof kept === 'string' ? this.encrypter.decrypt(kept, this.context()) : null;
  }

  async keep(text: string | null): Promise<void> {
    const payload = await this.payload();
    const kept = text === null ? null : this.encrypter.encrypt(text, this.context());
    const changed = await operationRecord.update(this.database, { id: this.entry }, { payload: { ...payload, kept } });
    if (changed === 0) throw this.refuseOvertaken();
    this.begun = true;
  }

  /** @throws OvertakenError when another process has finished the transfer */
  private async payload(): Promise<OperationPayload> {
    const row = await operationRecord.find(this.database, { id: this.entry });
    if (!row) throw this.refuseOvertaken();
    return row.payload;
  }

  private refuseOvertaken(): OvertakenError {
    return new OvertakenError({ detail: `intent ${this.entry}` });
  }

  private context(): string {
    return `portal_gateway_intents:${this.entry}:kept`;
  }
}
