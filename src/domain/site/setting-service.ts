import { UniqueViolationError, type Database, type Transaction } from '../../database/index.js';
import {
  changesOf,
  mapPage,
  nextVersion,
  NotFoundError,
  requireVersion,
  ValidationError,
  type Changes,
  type ExpectedVersion,
  type ListQuery,
  type ListPage,
} from '../../core/index.js';
import { SettingCreatedEvent, SettingDeletedEvent, SettingUpdatedEvent } from './events.js';
import { findKnownSetting, refuseStrangeKey, checkKnownWish } from './known-settings.js';
import { settingList } from './setting-list.js';
import { readValue, writeValue } from './setting-value.js';
import {
  MASK,
  secretContext,
  SETTING_DECODE,
  SETTING_FIELDS,
  settingModel,
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
  /** The key when left out. */
  readonly label?: string | undefined;
  readonly group?: string | undefined;
  readonly isPublic?: boolean | undefined;
}

const DEFAULT_GROUP = 'general';
const SELECT = `SELECT ${Object.entries(SETTING_FIELDS)
  .map(([name, sql]) => `${sql} AS \`${name}\``)
  .join(', ')} FROM portal_settings s`;

/** Settings of the portal's host: typed values by group, some public, some secret. */
export class SettingService {
  constructor(private readonly parts: SiteParts) {}

  async list(query: ListQuery): Promise<ListPage<SettingRecord>> {
    return mapPage(await this.parts.lists.run(settingList, query), toRecord);
  }

  /** @param reference its key, or its id; keys begin with a letter. @throws NotFoundError */
  async find(reference: string): Promise<SettingRecord> {
    const isId = /^[1-9]\d{0,15}$/.test(reference);
    return toRecord(await (isId ? this.row('s.id = ?', Number(reference)) : this.row('s.setting_key = ?', reference)));
  }

  /** Key → value of the settings that admins declared public, without those of the portal that nobody set. A secret never is. */
  async readPublic(): Promise<Record<string, unknown>> {
    const rows = await this.parts.database.select<SettingRow>(
      `${SELECT} WHERE s.is_public = ? AND s.type <> 'secret' ORDER BY s.setting_key`,
      [true],
      { decode: SETTING_DECODE },
    );
    const told = rows.map(toRecord).filter(({ key, value }) => value !== null || !findKnownSetting(key));
    return Object.fromEntries(told.map(({ key, value }) => [key, value]));
  }

  /**
   * The value of a setting for code of the portal and its host, a secret in clear. Never to be answered to a client.
   * @throws NotFoundError, DecryptionError for a secret that was moved here from another row
   */
  async valueOf(key: string): Promise<unknown> {
    const row = await this.row('s.setting_key = ?', key);
    if (row.type !== 'secret' || row.stored === null) return toRecord(row).value;
    return this.parts.encrypter.decrypt(row.stored, secretContext(row.id));
  }

  /**
   * Makes a setting of the host, or sets one that the portal knows and that has no value yet.
   * @throws ValidationError for a taken key or one that is nearly a known one, a value that is not of its type, a public secret
   */
  async create(input: SettingInput): Promise<SettingRecord> {
    const { database, events, clock } = this.parts;
    const known = findKnownSetting(input.key);
    const { key, type, label = key, group = DEFAULT_GROUP, isPublic = known !== undefined } = input;
    refuseStrangeKey(key);
    const wish = known ? checkKnownWish(known, input) : input;
    if (known) {
      const [unset] = await this.rows('s.setting_key = ? AND s.value IS NULL', key);
      if (unset) return this.update(unset.id, wish);
    }
    refusePublicSecret(type, isPublic);
    const value = writeValue(wish.value, type);
    return database.transaction(async (transaction) => {
      const now = clock.now();
      const columns = { settingKey: key, value: null, type, label, settingGroup: group, isPublic };
      const { id } = await settingModel(database)
        .create({ ...columns, createdAt: now, updatedAt: now }, { transaction })
        .catch(refuseTakenKey);
      // The id is part of what a secret is sealed with.
      const stored = this.sealed(Number(id), type, value);
      await settingModel(database).update({ value: stored }, { where: { id }, transaction });
      const setting = toRecord(await this.row('s.id = ?', Number(id), transaction));
      await events.emit(new SettingCreatedEvent({ setting, occurredAt: now }), transaction);
      return setting;
    });
  }

  /**
   * Changes only what is given; the mask of a secret stands for the one that is there.
   * @throws NotFoundError, PreconditionFailedError, ValidationError
   */
  async update(id: number, input: Partial<SettingInput>, expected?: ExpectedVersion): Promise<SettingRecord> {
    const { database, events, clock } = this.parts;
    return database.transaction(async (transaction) => {
      const row = await this.row('s.id = ?', id, transaction, database.forUpdate);
      requireVersion(expected, row);
      const known = findKnownSetting(row.key);
      const wish = known ? checkKnownWish(known, input) : input;
      const { type = row.type, key, label, group, isPublic } = wish;
      if (key !== undefined && key !== row.key) refuseStrangeKey(key);
      refusePublicSecret(type, isPublic ?? row.isPublic);
      const value = this.nextValue(row, type, wish.value);
      const changes = {
        ...changesOf<SettingRow>(row, { key, label, group, isPublic, type }),
        ...this.valueChange(row, type, value),
      };
      if (Object.keys(changes).length === 0) return toRecord(row);
      const columns = { settingKey: key, label, settingGroup: group, isPublic, type };
      const stored = value === undefined ? {} : { value: this.sealed(id, type, value) };
      const updatedAt = nextVersion(clock.now(), row);
      await settingModel(database)
        .update({ ...columns, ...stored, updatedAt }, { where: { id }, transaction })
        .catch(refuseTakenKey);
      const setting = toRecord(await this.row('s.id = ?', id, transaction));
      await events.emit(new SettingUpdatedEvent({ setting, changes, occurredAt: clock.now() }), transaction);
      return setting;
    });
  }

  /** Takes a setting away; one that the portal knows stays, without a value. @throws NotFoundError, PreconditionFailedError */
  async delete({ id, key }: SettingRecord, expected?: ExpectedVersion): Promise<void> {
    const { database, events, clock } = this.parts;
    if (findKnownSetting(key)) {
      await this.update(id, { value: null }, expected);
      return;
    }
    await database.transaction(async (transaction) => {
      const row = await this.row('s.id = ?', id, transaction, database.forUpdate);
      requireVersion(expected, row);
      await settingModel(database).destroy({ where: { id }, transaction });
      await events.emit(new SettingDeletedEvent({ setting: toRecord(row), occurredAt: clock.now() }), transaction);
    });
  }

  /** @returns the value to be stored, not yet sealed; undefined: the one that is there */
  private nextValue(row: SettingRow, type: SettingType, value: unknown): string | null | undefined {
    if (type === row.type && (value === undefined || (type === 'secret' && value === MASK))) return undefined;
    // Else a secret would be shown once its type is another, and text would pass for a number.
    if (value === undefined) throw new ValidationError({ value: ['A new type needs a new value.'] });
    return writeValue(value, type);
  }

  private valueChange(row: SettingRow, type: SettingType, value: string | null | undefined): Changes {
    if (value === undefined) return {};
    const before = readValue(row.stored, row.type);
    const after = readValue(value, type);
    const same =
      row.type === 'secret' && type === 'secret' && row.stored !== null && value !== null
        ? this.opens(row.id, row.stored) === value
        : JSON.stringify(before) === JSON.stringify(after);
    return same ? {} : { value: [before, after] };
  }

  // What does not open any more can still be replaced.
  private opens(id: number, stored: string): string | null {
    try {
      return this.parts.encrypter.decrypt(stored, secretContext(id));
    } catch {
      return null;
    }
  }

  private sealed(id: number, type: SettingType, value: string | null): string | null {
    return type === 'secret' && value !== null ? this.parts.encrypter.encrypt(value, secretContext(id)) : value;
  }

  private async row(
    where: string,
    value: number | string,
    transaction?: Transaction,
    lock: Database['forUpdate'] = '',
  ): Promise<SettingRow> {
    const [row] = await this.rows(`${where} ${lock}`, value, transaction);
    if (!row) throw new NotFoundError();
    return row;
  }

  private rows(where: string, value: number | string, transaction?: Transaction): Promise<SettingRow[]> {
    const options = { decode: SETTING_DECODE, transaction };
    return this.parts.database.select<SettingRow>(`${SELECT} WHERE ${where}`, [value], options);
  }
}

/** A setting as anybody may see it. */
function toRecord({ stored, ...row }: SettingRow): SettingRecord {
  const { default: standard = null, description = null } = findKnownSetting(row.key) ?? {};
  return { ...row, value: readValue(stored, row.type), default: standard, description };
}

function refusePublicSecret(type: SettingType, isPublic: boolean): void {
  if (type === 'secret' && isPublic) throw new ValidationError({ public: ['A secret is never public.'] });
}

function refuseTakenKey(error: unknown): never {
  if (!(error instanceof UniqueViolationError)) throw error;
  throw new ValidationError({ key: ['This value is already taken by another setting.'] }, { cause: error });
}
