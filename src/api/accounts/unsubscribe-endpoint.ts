import type { OwnNotices } from '../../domain/notifications/index.js';
import { RawReply, type Endpoint } from '../../http/index.js';

const PATH = '/unsubscribe';

/**
 * Ends mails about a product, or about all changes, for whoever holds the token of such a mail, without a sign-in: mail programs
 * post to it (RFC 8058). Whoever opens the address in a browser is led to a page with a button, as programs open links to check them.
 */
export function unsubscribeEndpoint(
  notices: Pick<OwnNotices, 'unsubscribe'>,
  pages: { page(path: string): string },
): Endpoint {
  return {
    paths: [PATH],
    async handle({ method, url, headers }) {
      const token = (url.split('?', 1)[0] ?? '').slice(PATH.length + 1);
      if (method === 'GET') return leadTo(pages.page(`/unsubscribe?token=${encodeURIComponent(token)}`));
      if (method !== 'POST') return new RawReply(405, '', { ...PLAIN, Allow: 'GET, POST' });
      // What a sender adds to the body says nothing that the address does not.
      const ended = await notices.unsubscribe(token);
      if (headers.accept?.includes('text/html')) {
        return leadTo(pages.page(`/unsubscribe?state=${ended === null ? 'unknown' : STATES[ended]}`));
      }
      return ended ? new RawReply(200, 'unsubscribed', PLAIN) : new RawReply(404, 'unknown', PLAIN);
    },
  };
}

/** What the page says afterwards. */
const STATES = { product: 'done', digest: 'all-done' };

const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store', Connection: 'close' };

function leadTo(address: string): RawReply {
  return new RawReply(303, '', { ...PLAIN, Location: address });
}
