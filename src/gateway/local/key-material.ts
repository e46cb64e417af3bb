import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { KEY_ENVIRONMENTS, type KeysConfig } from '../config.js';
import type { KeyPair } from '../contract.js';

/** Base62: a double click takes the whole key, and no header, query or shell needs to quote it. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 190 bits each: too many to guess, so a fast hash suffices for lookups. */
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
/** Tells a secret from a key wherever one of them turns up. */
const SECRET_MARK = 'secret_';

/** What any key may consist of: also those of before 0.7 (`pk_…`), and those that somebody put into the tables. */
const WELL_FORMED = /^[A-Za-z0-9_-]{8,255}$/;

/** A fresh key with its secret: `portal_live_…`, `portal_live_secret_…`. */
export function newKeyPair({ prefix, environment }: KeysConfig): KeyPair {
  const start = `${prefix}_${environment}_`;
  return {
    consumerKey: withChecksum(start + randomText()),
    consumerSecret: withChecksum(start + SECRET_MARK + randomText()),
  };
}

/** Lookup hash of keys and secrets: SHA-256 in hexadecimal. */
export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * A regular expression for secret scanners, in the syntax that RE2, PCRE and JavaScript share: keys and secrets with
 * this prefix, of both environments.
 * @param withOld also those of before 0.7, `pk_…` and `sk_…`
 */
export function keyPattern({ prefix }: Pick<KeysConfig, 'prefix'>, withOld = false): string {
  const form = `${prefix}_(?:${KEY_ENVIRONMENTS.join('|')})_(?:${SECRET_MARK})?[0-9A-Za-z]{${RANDOM_CHARACTERS + CHECKSUM_CHARACTERS}}`;
  return withOld ? `\\b(?:${form}|[ps]k_[0-9A-Za-z]{${RANDOM_CHARACTERS}})\\b` : `\\b${form}\\b`;
}

/**
 * Tells whether a key can exist at all. What begins like a key of this portal has to be one from end to end, checksum
 * included; everything else, a key with an earlier prefix for example, is left to the lookup.
 */
export function createKeyCheck({ prefix }: Pick<KeysConfig, 'prefix'>): (key: string) => boolean {
  const whole = new RegExp(`^${keyPattern({ prefix })}$`);
  const claims = new RegExp(`^${prefix}_(?:${KEY_ENVIRONMENTS.join('|')})_`);
  return (key) => WELL_FORMED.test(key) && (!claims.test(key) || (whole.test(key) && hasItsChecksum(key)));
}

function hasItsChecksum(key: string): boolean {
  return withChecksum(key.slice(0, -CHECKSUM_CHARACTERS)) === key;
}

/**
 * CRC-32 in base62, six characters with leading zeros, as in the tokens of GitHub
 * (https://github.blog/2021-04-05-behind-githubs-new-authentication-token-formats/). It is no defence: whoever guesses
 * can compute it. It finds every single wrong character before a statement is spent on it. Unlike GitHub's it covers
 * the prefix too, so that no test key passes for a live one.
 */
function withChecksum(text: string): string {
  let rest = crc32(text);
  let checksum = '';
  while (checksum.length < CHECKSUM_CHARACTERS) {
    checksum = ALPHABET.charAt(rest % ALPHABET.length) + checksum;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text + checksum;
}

function randomText(): string {
  return Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}
