import { changeRecord, lockRecord, type Transaction } from '../../database/index.js';
import {
  changesOf,
  mapPage,
  ValidationError,
  type Changes,
  type ExpectedVersion,
  type ListPage,
  type ListQuery,
} from '../../core/index.js';
import { SettingCreatedEvent, SettingDeletedEvent, SettingUpdatedEvent } from './events.js';
import { findKnownSetting, refuseStrangeKey, checkKnownSetting } from './known-settings.js';
import { readValue, writeValue } from './setting-value.js';
import {
  SECRET_MASK,
  settingSecretContext,
  settingList,
  settingRecord,
  type SettingRecord,
  type SettingRow,
  type SettingType,
} from './setting.js';
import type { SiteParts } from './site-parts.js';

export interface SettingInput {
  readonly key: string;
  readonly type: SettingType;
  /** Checked against the type. */
  readonly value?: unknown;
  /** Defaults to the key. */
  readonly label?: string | undefined;
  readonly group?: string | undefined;
  readonly isPublic?: boolean | undefined;
}

interface SettingChange {
  readonly id: number;
  readonly input: Partial<SettingInput>;
  readonly expected?: ExpectedVersion;
  /** Hash of the uploaded file that the new value names. */
  readonly file?: string | null;
  readonly transaction: Transaction;
}

const DEFAULT_GROUP = 'general';
const LOGO = 'theme.logo_url';
const UPLOADED = /files\/[0-9a-f]{64}\.[a-z]+$/;

/** Settings of the host: typed values by group, some public, some secret. */
export class SettingService {
  constructor(private readonly parts: SiteParts) {}

  async list(query: ListQuery): Promise<ListPage<SettingRecord>> {
    return mapPage(await this.parts.lists.run(settingList, query), toRecord);
  }

  /** @param reference its key, or its id; keys start with a letter. @throws NotFoundError */
  async find(reference: string): Promise<SettingRecord> {
    const isId = /^[1-9]\d{0,15}$/.test(reference);
    const where = isId ? { id: Number(reference) } : { key: reference };
    return toRecord(await settingRecord.require(this.parts.database, where));
  }

  /**
   * Key → value of the settings that admins made public, except the portal's own while unset. Never includes secrets.
   */
  async readPublic(): Promise<Record<string, unknown>> {
    const found = await settingRecord.findAll(this.parts.database, { isPublic: true }, { order: 's.setting_key' });
    const rows = found.filter(({ type }) => type !== 'secret');
    const visible = rows.map(toRecord).filter(({ key, value }) => value !== null || !findKnownSetting(key));
    return Object.fromEntries(visible.map(({ key, value }) => [key, value]));
  }

  /**
   * The value of a setting for server code, secrets decrypted. Never send it to a client.
   * @throws NotFoundError, DecryptionError for a secret that was moved here from another row
   */
  async valueOf(key: string): Promise<unknown> {
    const row = await settingRecord.require(this.parts.database, { key });
    if (row.type !== 'secret' || row.stored === null) return toRecord(row).value;
    return this.parts.encrypter.decrypt(row.stored, settingSecretContext(row.id));
  }

  /**
   * Creates a setting of the host, or sets a known one that has no value yet.
   * @throws ValidationError for a taken key or one close to a known one, a value of the wrong type, a public secret
   */
  async create(input: SettingInput): Promise<SettingRecord> {
    const { database, events, clock } = this.parts;
    const known = findKnownSetting(input.key);
    const { key, type, label = key, group = DEFAULT_GROUP, isPublic = known !== undefined } = input;
    refuseStrangeKey(key);
    const checked = known ? checkKnownSetting(known, input) : input;
    if (known) {
      const unset = await settingRecord.find(database, { key, stored: null });
      if (unset) return this.update(unset.id, checked);
    }
    refusePublicSecret(type, isPublic);
    const value = writeValue(checked.value, type);
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const columns = { key, stored: null, type, label, group, isPublic, createdAt: now, updatedAt: now };
      const id = await settingRecord.insert(database, columns, transaction);
      // The encryption context of a secret includes the id.
      await settingRecord.update(database, { id }, { stored: this.encrypt(id, type, value) }, transaction);
      const setting = toRecord(await settingRecord.require(database, { id }, { transaction }));
      await events.emit(new SettingCreatedEvent({ setting, occurredAt: now }), transaction);
      return setting;
    });
  }

  /**
   * Changes only what is given; the mask of a secret keeps the stored one.
   * @throws NotFoundError, PreconditionFailedError, ValidationError
   */
  async update(id: number, input: Partial<SettingInput>, expected?: ExpectedVersion): Promise<SettingRecord> {
    return this.parts.database.transaction((transaction) => this.change({ id, input, expected, transaction }));
  }

  /**
   * Uploads the logo; the previous file is deleted with its last reference.
   * @param addressOf the path at which browsers find a file, `files/<hash>.<extension>`
   * @throws ValidationError on `logo` for anything but a PNG, JPEG, WebP or GIF
   */
  async setLogo(bytes: Buffer, addressOf: (file: string) => string): Promise<SettingRecord> {
    const { database, pictures } = this.parts;
    return database.transaction(async (transaction) => {
      const { id } = await settingRecord.require(database, { key: LOGO }, { transaction });
      const file = await pictures.keep(bytes, transaction, 'logo');
      const [hash = null] = /[0-9a-f]{64}/.exec(file) ?? [];
      return this.change({ id, input: { value: addressOf(file) }, file: hash, transaction });
    });
  }

  /** The portal then has none. */
  async deleteLogo(): Promise<SettingRecord> {
    const { id } = await settingRecord.require(this.parts.database, { key: LOGO });
    return this.update(id, { value: null });
  }

  private change({ id, input, expected, file = null, transaction }: SettingChange): Promise<SettingRecord> {
    const { database, pictures } = this.parts;
    return changeRecord(settingRecord, this.parts, transaction, {
      id,
      expected,
      plan: (row) => this.planChange(row, input, file),
      afterWrite: async (before) => {
        const [address = null] = before.key === LOGO ? (UPLOADED.exec(before.stored ?? '') ?? []) : [];
        await pictures.release(address, transaction);
      },
      read: async () => toRecord(await settingRecord.require(database, { id }, { transaction })),
      announce: (setting, changes, occurredAt) => [new SettingUpdatedEvent({ setting, changes, occurredAt })],
    });
  }

  /** Deletes a setting; a known one only loses its value. @throws NotFoundError, PreconditionFailedError */
  async delete({ id, key }: SettingRecord, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    if (findKnownSetting(key)) {
      await this.update(id, { value: null }, expected);
      return;
    }
    await database.transaction(async (transaction) => {
      const row = await lockRecord(settingRecord, database, id, expected, transaction);
      await settingRecord.remove(database, { id }, transaction);
      await events.emit(new SettingDeletedEvent({ setting: toRecord(row), occurredAt: clock.now() }), transaction);
    });
  }

  private planChange(row: SettingRow, input: Partial<SettingInput>, file: string | null) {
    const known = findKnownSetting(row.key);
    const checked = known ? checkKnownSetting(known, input) : input;
    const { type = row.type, key, label, group, isPublic } = checked;
    if (key !== undefined && key !== row.key) refuseStrangeKey(key);
    refusePublicSecret(type, isPublic ?? row.isPublic);
    const value = this.chooseValue(row, type, checked.value);
    const values = { key, label, group, isPublic, type };
    const elsewhere = this.valueChange(row, type, value);
    const isWritten = value !== undefined && (elsewhere !== null || changesOf<SettingRow>(row, values) !== null);
    return {
      values,
      elsewhere,
      hidden: isWritten && { stored: this.encrypt(row.id, type, value), ...(elsewhere && { file }) },
    };
  }

  /** @returns the value to store, not yet encrypted; undefined to keep the present one */
  private chooseValue(row: SettingRow, type: SettingType, value: unknown): string | null | undefined {
    if (type === row.type && (value === undefined || (type === 'secret' && value === SECRET_MASK))) return undefined;
    // Otherwise a type change would reveal a secret, or let text pass for a number.
    if (value === undefined) throw new ValidationError({ value: ['A new type needs a new value.'] });
    return writeValue(value, type);
  }

  private valueChange(row: SettingRow, type: SettingType, value: string | null | undefined): Changes | null {
    if (value === undefined) return null;
    const before = readValue(row.stored, row.type);
    const after = readValue(value, type);
    const same =
      row.type === 'secret' && type === 'secret' && row.stored !== null && value !== null
        ? this.decrypt(row.id, row.stored) === value
        : JSON.stringify(before) === JSON.stringify(after);
    return same ? null : { value: [before, after] };
  }

  // A secret that can no longer be decrypted can still be replaced.
  private decrypt(id: number, stored: string): string | null {
    try {
      return this.parts.encrypter.decrypt(stored, settingSecretContext(id));
    } catch {
      return null;
    }
  }

  private encrypt(id: number, type: SettingType, value: string | null): string | null {
    return type === 'secret' && value !== null ? this.parts.encrypter.encrypt(value, settingSecretContext(id)) : value;
  }
}

/** A setting with its secret masked. */
function toRecord({ stored, ...row }: SettingRow): SettingRecord {
  const { default: standard = null, description = null } = findKnownSetting(row.key) ?? {};
  return { ...row, value: readValue(stored, row.type), default: standard, description };
}

function refusePublicSecret(type: SettingType, isPublic: boolean): void {
  if (type === 'secret' && isPublic) throw new ValidationError({ public: ['A secret is never public.'] });
}
