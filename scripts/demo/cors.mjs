const EXPOSED = 'X-Auth-Reason, WWW-Authenticate, Retry-After';
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'Access-Control-Allow-Headers': 'X-API-Key, Authorization, Content-Type, Accept',
  'Access-Control-Max-Age': '600',
};

/**
 * Lets pages of these origins, and no others, call an API (CORS). Their preflights are answered at once: browsers send them
 * without a key, and they open nothing. Cookies are not asked for.
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 * @param {readonly string[]} pages
 * @returns {boolean} whether the request has been answered
 */
export function allowPage(request, response, pages) {
  const { origin } = request.headers;
  if (pages.length > 0) response.setHeader('Vary', 'Origin');
  if (!pages.includes(origin)) return false;
  response.setHeader('Access-Control-Allow-Origin', origin);
  response.setHeader('Access-Control-Expose-Headers', EXPOSED);
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return false;
  response.writeHead(204, PREFLIGHT);
  response.end();
  return true;
}
