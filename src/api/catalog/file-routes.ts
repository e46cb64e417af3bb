import Joi from 'joi';
import { isHeld, RawReply } from '../../http/index.js';
import { defineRoute } from '../define-route.js';

const fileParams = Joi.object<{ name: string }>({
  name: Joi.string().max(100).required().description('As in `thumbnail_url`.').example('9f86d081….png'),
});

const YEAR_S = 365 * 24 * 3600;

export const fileRoutes = [
  defineRoute({
    context: 'consumer',
    auth: 'none',
    withoutApi: true,
    tag: 'API products',
    method: 'get',
    path: '/files/:name',
    operation: 'getFile',
    summary: 'Download an uploaded picture',
    description:
      'Not in the envelope. An address never changes its content, so it may be kept for ever. Whoever knows an address may ' +
      'see the picture, also while its product is a draft.',
    params: fileParams,
    document: { types: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'], conditional: true },
    reply: { 200: Joi.binary().label('Picture') },
    find: ({ services, params }) => services.catalog.pictures.read(params.name),
    handle: ({ found: { hash, type, bytes }, request }) => {
      // Whatever the bytes are, browsers show a picture and run nothing (S68).
      const headers = {
        'Content-Type': type,
        'Content-Disposition': 'inline',
        'Content-Security-Policy': "default-src 'none'; sandbox",
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'Cache-Control': `public, max-age=${YEAR_S}, immutable`,
        ETag: `"${hash}"`,
      };
      if (isHeld(request.headers['if-none-match'], hash)) return new RawReply(304, '', headers);
      return new RawReply(200, bytes, { ...headers, 'Content-Length': String(bytes.length) });
    },
  }),
];
