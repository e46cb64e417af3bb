import type { UploadDeclaration } from '../../http/index.js';
import type { PortalServices } from '../../domain/services.js';

/** Prefix of an uploaded picture in the catalog. */
const STORED = /^files\//;

/** URL of a thumbnail for clients. @param apiPath path below which the API lives */
export function presentThumbnail(url: string | null, apiPath: string): string | null {
  return url !== null && STORED.test(url) ? `${apiPath}/${url}` : url;
}

/** The inverse of {@link presentThumbnail}, so that a record can be written back as it was read. */
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
