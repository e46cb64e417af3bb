import type { ErrorRequestHandler, RequestHandler } from 'express';
import { readHead, writeReply, type PageSurface } from './page-surface.js';

/**
 * Serves the static files of a surface even before the portal is ready, because the page that reports this needs them.
 */
export function fileHandler({ files }: PageSurface): RequestHandler {
  return async (request, response, next) => {
    const [name = '', ...rest] = request.path.split('/').filter(Boolean);
    const isAsked = files && rest.length === 0 && ['GET', 'HEAD'].includes(request.method);
    const asked = { version: request.query.v, known: request.headers['if-none-match'] };
    const reply = isAsked ? await files.read(name, asked) : null;
    if (reply) await writeReply(request, response, reply);
    else next();
  };
}

/** Files that a surface serves outside of its prefix: `/robots.txt` and the like. */
export function rootFileHandler({ rootFiles = {} }: PageSurface): RequestHandler {
  return async (request, response, next) => {
    const reply = Object.hasOwn(rootFiles, request.path) ? rootFiles[request.path] : undefined;
    if (!reply || !['GET', 'HEAD'].includes(request.method)) return next();
    await writeReply(request, response, reply);
  };
}

/**
 * Shows people a page for errors outside of the surface: a foreign `Host`, a portal that is not ready, an unknown URL.
 * Programs, and everything below the API, get the envelope.
 */
export function pageErrorHandler(surfaces: readonly PageSurface[], apiPrefix: string): ErrorRequestHandler {
  return async (error: unknown, request, response, next) => {
    const { path } = request;
    const isBelow = (prefix: string) => path === prefix || path.startsWith(`${prefix}/`);
    const own = surfaces.find(({ prefix }) => isBelow(prefix));
    // Outside the surface, only an explicit HTML accept header means a person: every program sends `*/*`.
    const isForPeople = own ? request.accepts(['html', 'json']) === 'html' : namesHtml(request.headers.accept);
    const surface = own ?? surfaces[0];
    if (!surface?.refuse || !isForPeople || isBelow(apiPrefix) || response.headersSent) return next(error);
    const reply = await surface.refuse(error, readHead(request, response));
    if (!request.complete) response.setHeader('Connection', 'close');
    await writeReply(request, response, reply);
  };
}

function namesHtml(accept: string | undefined): boolean {
  return accept !== undefined && /\btext\/html\b/i.test(accept);
}
