import { createHash, randomInt } from 'node:crypto';
import type { KeyPair } from '../contract.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** 190 bits each: too many to guess, so a fast hash suffices for lookups. */
const RANDOM_CHARACTERS = 32;
/** Lets secret scanners recognise our keys. */
const KEY_PREFIX = 'pk_';
const SECRET_PREFIX = 'sk_';

/** A fresh key with its secret. */
export function newKeyPair(): KeyPair {
  return { consumerKey: KEY_PREFIX + randomText(), consumerSecret: SECRET_PREFIX + randomText() };
}

/** Lookup hash of keys and secrets: SHA-256 in hexadecimal. */
export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function randomText(): string {
  return Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
