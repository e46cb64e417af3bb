import type { Database, Lists, Transaction } from '../../database/index.js';
import type { Clock, Encrypter, EventBus, Locales } from '../../core/index.js';

/** Keeps uploaded pictures. */
export interface PictureKeeper {
  /**
   * @param field of the upload, for the error
   * @returns its address: `files/<hash>.<extension>`
   * @throws ValidationError for anything but a picture that browsers show
   */
  keep(bytes: Buffer, transaction: Transaction, field: string): Promise<string>;
  /** Removes the file at an address with its last reference. */
  release(address: string | null, transaction: Transaction): Promise<void>;
}

/** Dependencies of this domain's services. */
export interface SiteParts extends Locales {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
  readonly pictures: PictureKeeper;
}
