import { UnlinkableIdentityError } from './errors.js';
import type { Claims } from './identity-provider.js';

/**
 * The address, if the provider has verified it (S85).
 * @param domains those that the provider is trusted to verify; all if empty
 * @throws UnlinkableIdentityError if the address is missing, unverified, or of another domain
 */
export function requireVerifiedEmail({ email, emailVerified }: Claims, domains: readonly string[]): string {
  if (email === null || !emailVerified || email.length > 254) throw new UnlinkableIdentityError('unverified-email');
  if (domains.length > 0 && !hasDomain(email, domains)) throw new UnlinkableIdentityError('unverified-email');
  return email;
}

/** Compares whole domains: `example.com` does not match `sub.example.com` or `notexample.com`. */
export function hasDomain(email: string, domains: readonly string[]): boolean {
  const domain = email
    .slice(email.lastIndexOf('@') + 1)
    .trim()
    .toLowerCase();
  return domains.some((allowed) => allowed.toLowerCase() === domain);
}
