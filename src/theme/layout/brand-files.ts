import { PageResponse, type AskedFile } from '../../http/index.js';
import { cacheControl, type Assets } from './assets.js';
import type { BrandReader } from './brand.js';

/** Made of the settings, not read from a file. */
const BRAND_SHEET = 'brand.css';
/** The same, unless the host has a file of that name. */
const BRAND_ICON = 'favicon.svg';

/** Whether the version of the brand belongs into the address of a file. */
export function isOfBrand(file: string): boolean {
  return file === BRAND_SHEET || file === BRAND_ICON;
}

/**
 * Serves the files of a surface: those made of the brand, then those of folders.
 *
 * @returns null if it is not one of our files
 */
export async function serveAsset(
  name: string,
  asked: AskedFile,
  { assets, brand, keep }: { readonly assets: Assets; readonly brand: BrandReader; readonly keep: boolean },
): Promise<PageResponse | null> {
  if (name === BRAND_ICON ? !(await assets.isShipped(name)) : name !== BRAND_SHEET) return assets.serve(name, asked);
  const { css, icon, version } = await brand.sheet();
  const caching = { 'Cache-Control': cacheControl(keep && asked.version === version) };
  if (name === BRAND_SHEET)
    return new PageResponse(200, css, { ...caching, 'Content-Type': 'text/css; charset=utf-8' });
  return new PageResponse(200, icon, {
    ...caching,
    'Content-Type': 'image/svg+xml',
    'Content-Security-Policy': "default-src 'none'; sandbox",
  });
}
