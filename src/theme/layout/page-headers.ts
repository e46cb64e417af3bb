import { isOrigin } from '../../core/index.js';

/**
 * S44: nothing inline, and nothing from elsewhere but the pictures and APIs that the operator allows. Anything but a
 * plain origin is left out: it could inject a directive of its own.
 */
export function pageHeaders(images: readonly string[], connect: readonly string[] = []): Record<string, string> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      `img-src ${["'self'", 'data:', ...images.filter(isOrigin)].join(' ')}`,
      ["connect-src 'self'", ...connect.filter(isOrigin)].join(' '),
      "form-action 'self'",
      "object-src 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

/** For when not even templates or messages can be read. */
export function writePlainFailure(status: number): string {
  const text =
    status === 503 ? 'The portal is not available at the moment. Please try again soon.' : 'Something went wrong.';
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${status}</title><h1>${status}</h1><p>${text}</p></html>`;
}
