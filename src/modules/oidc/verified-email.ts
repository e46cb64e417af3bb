import { UnlinkableIdentityError } from './errors.js';
import type { Claims } from './identity-provider.js';

/**
 * The address that the provider vouches for (S85).
 * @param domains those that the provider is trusted with; all when empty
 * @throws UnlinkableIdentityError for one that is missing, not verified, or of another domain
 */
export function verifiedEmail({ email, emailVerified }: Claims, domains: readonly string[]): string {
  if (email === null || !emailVerified || email.length > 254) throw new UnlinkableIdentityError('unverified-email');
  if (domains.length > 0 && !hasDomain(email, domains)) throw new UnlinkableIdentityError('unverified-email');
  return email;
}

/** Whole domains: `example.com` is neither `sub.example.com` nor `notexample.com`. */
export function hasDomain(email: string, domains: readonly string[]): boolean {
  const domain = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
  return domains.some((allowed) => allowed.toLowerCase() === domain);
}
