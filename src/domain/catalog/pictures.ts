import { createHash } from 'node:crypto';
import {
  defineRecord,
  fieldOf,
  ForeignKeyViolationError,
  mergeRows,
  type Database,
  type Transaction,
} from '../../database/index.js';
import { BoundedCache, NotFoundError, ValidationError, type Clock } from '../../core/index.js';

/** Bytes of pictures kept in memory. */
const BYTES_KEPT = 16 * 1024 * 1024;
const FOLDER = 'files/';
const ADDRESS = /^files\/([0-9a-f]{64})\.(png|jpg|webp|gif)$/;

interface ImageKind {
  readonly type: string;
  readonly extension: string;
  matches(bytes: Buffer): boolean;
}

const startsWith = (signature: string) => (bytes: Buffer) =>
  bytes.toString('latin1', 0, signature.length) === signature;

/** SVG is excluded: it can contain scripts (S68). */
const KINDS: readonly ImageKind[] = [
  { type: 'image/png', extension: 'png', matches: startsWith('\x89PNG\r\n\x1a\n\0\0\0\rIHDR') },
  { type: 'image/jpeg', extension: 'jpg', matches: startsWith('\xff\xd8\xff') },
  {
    type: 'image/webp',
    extension: 'webp',
    matches: (bytes) => startsWith('RIFF')(bytes) && bytes.toString('latin1', 8, 12) === 'WEBP',
  },
  {
    type: 'image/gif',
    extension: 'gif',
    matches: (bytes) => startsWith('GIF87a')(bytes) || startsWith('GIF89a')(bytes),
  },
];

const fileRecord = defineRecord({
  name: 'File',
  table: 'portal_files',
  alias: 'f',
  fields: {
    hash: fieldOf.text(64).key(),
    type: fieldOf.text(32),
    bytes: fieldOf.bytes().hidden(),
    createdAt: fieldOf.time(),
  },
});

export interface Picture {
  readonly hash: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * Uploaded pictures. They are stored in the database under the hash of their bytes, so that every replica serves them,
 * equal uploads are stored once and a URL never changes its content. A foreign key from products and categories keeps a
 * file; whoever drops a reference tries to delete the file.
 */
export class PictureStore {
  private readonly cache = new BoundedCache<Buffer>({ size: BYTES_KEPT, sizeOf: ({ length }) => length });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * @returns its address, `files/<hash>.<extension>`: name and type are never the uploader's choice (S68)
   * @throws ValidationError on `field` for anything but a PNG, JPEG, WebP or GIF, whatever its file name
   */
  async keep(bytes: Buffer, transaction: Transaction, field = 'thumbnail'): Promise<string> {
    const kind = KINDS.find(({ matches }) => matches(bytes));
    if (!kind) throw new ValidationError({ [field]: [`${field} must be a PNG, JPEG, WebP or GIF image.`] });
    const hash = createHash('sha256').update(bytes).digest('hex');
    // Also locks an existing row, so that nobody removes it before it is referenced.
    const file = { hash, type: kind.type, bytes, createdAt: this.clock.now() };
    await mergeRows(this.database, fileRecord, [file], { type: 'replace' }, transaction);
    return `${FOLDER}${hash}.${kind.extension}`;
  }

  /** @param name `<hash>.<extension>`. @throws NotFoundError */
  async read(name: string): Promise<Picture> {
    const [, hash, extension] = ADDRESS.exec(FOLDER + name) ?? [];
    if (hash === undefined) throw new NotFoundError();
    // Checked each time, so that a removed picture is gone at once, whatever is cached.
    const file = await fileRecord.find(this.database, { hash }, { only: ['type'] });
    const kind = KINDS.find(({ type }) => type === file?.type);
    const bytes = kind?.extension === extension ? await this.cache.read(hash, () => this.readBytes(hash)) : undefined;
    if (!kind || !bytes) throw new NotFoundError();
    return { hash, type: kind.type, bytes };
  }

  private async readBytes(hash: string): Promise<Buffer | undefined> {
    return (await fileRecord.find(this.database, { hash }, { only: ['bytes'] }))?.bytes;
  }

  /** Call it after a record dropped an address: removes the file if that was its last reference. */
  async release(address: string | null, transaction: Transaction): Promise<void> {
    const hash = fileOf(address);
    if (hash === null) return;
    try {
      await fileRecord.remove(this.database, { hash }, transaction);
    } catch (error) {
      if (!(error instanceof ForeignKeyViolationError)) throw error;
    }
  }
}

/** Hash of the file at an address; null for an external address. */
function fileOf(address: string | null): string | null {
  return ADDRESS.exec(address ?? '')?.[1] ?? null;
}

/** The two columns of a thumbnail. @throws ValidationError on `thumbnail_url` for an impossible file name of ours */
export function thumbnailColumns(address: string | null): {
  thumbnailUrl: string | null;
  thumbnailFile: string | null;
} {
  const thumbnailFile = fileOf(address);
  if (address?.startsWith(FOLDER) && thumbnailFile === null) throw noSuchFile();
  return { thumbnailUrl: address, thumbnailFile };
}

/** The error on `thumbnail_url` for a write that failed because its file does not exist. */
export function refuseMissingFile(error: unknown): ValidationError | undefined {
  return error instanceof ForeignKeyViolationError ? noSuchFile(error) : undefined;
}

function noSuchFile(cause?: unknown): ValidationError {
  return new ValidationError({ thumbnail_url: ['There is no such file. Upload the picture first.'] }, { cause });
}
