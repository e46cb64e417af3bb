import { createHash, randomInt } from 'node:crypto';
import type { KeyPair } from '../contract.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
/** 190 bits each: beyond guessing, so that a fast hash is enough to look them up. */
const RANDOM_CHARACTERS = 32;
/** Scanners for leaked secrets recognise our keys by their beginning. */
const KEY_PREFIX = 'pk_';
const SECRET_PREFIX = 'sk_';

/** A fresh key with its secret. */
export function newKeyPair(): KeyPair {
  return { consumerKey: KEY_PREFIX + randomText(), consumerSecret: SECRET_PREFIX + randomText() };
}

/** How keys and secrets are looked up: SHA-256 in hexadecimal. */
export function keyHash(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function randomText(): string {
  return Array.from({ length: RANDOM_CHARACTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
