import { createHash } from 'node:crypto';
import { access, readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { isHeld, PageResponse, type AskedFile } from '../../http/index.js';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
};
const NAME = /^[a-z0-9-]+(?:\.[a-z0-9]+)+$/;
const YEAR_S = 31_536_000;

/** Immutable when the URL contains the content's hash; otherwise revalidated each time. */
export function cacheControl(isVersioned: boolean): string {
  return isVersioned ? `public, max-age=${YEAR_S}, immutable` : 'no-cache';
}

interface Asset {
  readonly bytes: Buffer;
  readonly hash: string;
}

/**
 * Static files of the pages: `assets/` of the host's published views, then of the package. Their URLs contain their
 * hash.
 */
export class Assets {
  private readonly cache = new Map<string, Asset>();
  private names: readonly string[] | undefined;

  constructor(
    private readonly folders: readonly string[],
    private readonly keep: boolean,
  ) {}

  /** Reads the files that templates may refer to, so that {@link version} knows them. */
  async prepare(): Promise<void> {
    if (this.keep && this.names) return;
    const lists = await Promise.all(this.folders.map((folder) => readdir(join(folder, 'assets')).catch(() => [])));
    const names = [...new Set(lists.flat())].filter((name) => NAME.test(name) && extname(name) in TYPES);
    await Promise.all(names.map((name) => this.read(name)));
    this.names = names;
  }

  /** Whether the host or the package has the file; call it once prepared. */
  has(name: string): boolean {
    return this.names?.includes(name) === true;
  }

  /** Part of the URL; changes with the content. */
  version(name: string): string {
    return this.cache.get(name)?.hash ?? 'new';
  }

  /** @returns null if it is not one of our files */
  async serve(name: string, { version, known }: AskedFile): Promise<PageResponse | null> {
    const type = TYPES[extname(name)];
    const asset = type === undefined || !NAME.test(name) ? null : await this.read(name);
    if (!asset || type === undefined) return null;
    const caching = { ETag: `"${asset.hash}"`, 'Cache-Control': cacheControl(this.keep && version === asset.hash) };
    if (isHeld(known, asset.hash)) return new PageResponse(304, '', caching);
    return new PageResponse(200, asset.bytes, {
      ...caching,
      'Content-Type': type,
      // A picture opened directly must not run scripts.
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    });
  }

  /** Whether the package's own file is the one that is served: the host has none of that name. */
  async isShipped(name: string): Promise<boolean> {
    const own = this.folders.slice(0, -1).map((folder) =>
      access(join(folder, 'assets', name)).then(
        () => false,
        () => true,
      ),
    );
    return (await Promise.all(own)).every(Boolean);
  }

  private async read(name: string): Promise<Asset | null> {
    const cached = this.cache.get(name);
    if (cached && this.keep) return cached;
    for (const folder of this.folders) {
      const bytes = await readFile(join(folder, 'assets', name)).catch(() => null);
      if (!bytes) continue;
      const asset = { bytes, hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 12) };
      this.cache.set(name, asset);
      return asset;
    }
    return null;
  }
}
