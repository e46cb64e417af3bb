import { domainToASCII } from 'node:url';

const MAX_LENGTH = 254;
// RFC 5321 dot-atom; quoted local parts and non-ASCII ones are refused so that no two accounts can look alike (S11).
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/;

/**
 * Characters allowed in a domain after NFKC. A URL parser would drop or stop at anything else (`/ # ? %`, tabs,
 * invisible characters) and so yield a different address than the one typed.
 */
const DOMAIN_AS_WRITTEN = /^(?:[a-z0-9.-]|(?!\p{Default_Ignorable_Code_Point})[^\0-\x7f])+$/u;

/**
 * Canonical form in which an address is stored and looked up (S11): trimmed, NFKC, lower case, ASCII local part, IDNA
 * domain. Addresses with the same canonical form are one account on every database.
 * @returns null if the address is not usable
 */
export function normaliseEmail(input: string): string | null {
  const normal = input.trim().normalize('NFKC').toLowerCase();
  const at = normal.lastIndexOf('@');
  const local = normal.slice(0, at);
  const written = normal.slice(at + 1);
  const domain = DOMAIN_AS_WRITTEN.test(written) ? domainToASCII(written) : '';
  if (at < 1 || local.length > 64 || !LOCAL.test(local) || !DOMAIN.test(domain)) return null;
  const email = `${local}@${domain}`;
  return email.length <= MAX_LENGTH ? email : null;
}
