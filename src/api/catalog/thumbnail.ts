import type { UploadDeclaration } from '../../http/index.js';
import type { PortalServices } from '../services.js';

/** How the catalog calls an uploaded picture. */
const STORED = /^files\//;

/** The address of a thumbnail for clients. @param apiPath path below which the API lives */
export function presentThumbnail(url: string | null, apiPath: string): string | null {
  return url !== null && STORED.test(url) ? `${apiPath}/${url}` : url;
}

/** The other way round, so that a record that was read can be written back. */
export function readThumbnail(url: string | null | undefined, apiPath: string): string | null | undefined {
  return url?.startsWith(`${apiPath}/files/`) ? url.slice(apiPath.length + 1) : url;
}

export const thumbnailUpload: UploadDeclaration<PortalServices> = {
  field: 'thumbnail',
  types: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
  maxBytes: ({ catalog }) => catalog.limits.maxImageBytes,
};

export const THUMBNAIL_DESCRIPTION =
  'A PNG, JPEG, WebP or GIF image in the multipart field `thumbnail`, told by its content; SVG is refused. ' +
  '`thumbnail_url` then points at it.';
