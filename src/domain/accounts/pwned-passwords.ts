import { createHash } from 'node:crypto';
import type { Logger } from '../../core/index.js';
import type { OutboundFetcher } from '../../outbound/index.js';

const DEADLINE_MS = 500;
/** Padded responses are about 40 KB. */
const MOST_BYTES = 512 * 1024;

/**
 * Asks a Pwned Passwords service whether a password is in a known leak (S05). Only five characters of its SHA-1 leave
 * the portal, and the response is padded, so neither the service nor an eavesdropper learns the password.
 */
export class PwnedPasswords {
  private readonly fetcher: OutboundFetcher;

  /** @param url for example `https://api.pwnedpasswords.com/range`; @param deadline milliseconds for the whole answer */
  constructor(
    private readonly url: string,
    private readonly parts: { readonly logger: Logger; readonly outbound: OutboundFetcher },
    deadline = DEADLINE_MS,
  ) {
    // Configured by the operator, so it may be on an internal network.
    this.fetcher = parts.outbound.withExemptions({ origins: [new URL(url).origin], deadline });
  }

  /** Also false when the service is down, slow or wrong: its outage must not block sign-ups. */
  async includes(password: string): Promise<boolean> {
    const digest = createHash('sha1').update(password).digest('hex').toUpperCase();
    try {
      const range = await this.range(digest.slice(0, 5));
      return range.some((line) => isLeaked(line, digest.slice(5)));
    } catch (error) {
      this.parts.logger.warn({ err: error }, 'the check for leaked passwords failed and was skipped');
      return false;
    }
  }

  private async range(prefix: string): Promise<string[]> {
    const { status, body } = await this.fetcher.request(`${this.url.replace(/(?<!\/)\/+$/, '')}/${prefix}`, {
      headers: { 'Add-Padding': 'true' },
      maxBytes: MOST_BYTES,
    });
    if (status !== 200) throw new Error(`the service answered ${status}`);
    return body.toString('utf8').split('\n');
  }
}

// `SUFFIX:COUNT`; padding lines count 0.
function isLeaked(line: string, suffix: string): boolean {
  const [found, count] = line.trim().split(':');
  return found?.toUpperCase() === suffix && Number(count) > 0;
}
