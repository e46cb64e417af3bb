import assert from 'node:assert/strict';
import type { PasswordHasher } from '../domain/accounts/index.js';
import type { ContractCheck } from './contract.js';

const PASSWORD = 'correct horse battery 9';
const LONG = 'x'.repeat(100);
const ABSURD = ['', 'x', '$argon2id$', '$2b$10$short', 'md5:1234', '\u0000', '0'.repeat(255)];

/** What a password hasher promises. */
export function passwordHasherContract(make: () => PasswordHasher): ContractCheck[] {
  const hasher = make();
  const matches = async (typed: string, stored: string) => (await hasher.verify(typed, stored)).matches;
  return [
    {
      name: 'knows a password by its hash, which today is not outdated',
      run: async () => {
        const result = await hasher.verify(PASSWORD, await hasher.hash(PASSWORD));
        assert.deepEqual(result, { matches: true, outdated: false });
      },
    },
    {
      name: 'refuses every other password, also one that differs late, in case, or after a NUL',
      run: async () => {
        for (const [password, other] of [
          [PASSWORD, PASSWORD.toUpperCase()],
          [PASSWORD, `${PASSWORD} `],
          [PASSWORD, ''],
          // bcrypt ignores all but 72 bytes, and C strings end at the first NUL.
          [`${LONG}a`, `${LONG}b`],
          ['before\u0000after', 'before\u0000other'],
        ] as const) {
          assert.equal(await matches(other, await hasher.hash(password)), false, JSON.stringify(other));
        }
      },
    },
    {
      name: 'takes every script, at full length',
      run: async () => {
        for (const password of ['пароль-كلمة-密码-🔑🔑', LONG, 'ü'.repeat(128)]) {
          assert.equal(await matches(password, await hasher.hash(password)), true);
        }
      },
    },
    {
      name: 'salts: the same password never has the same hash twice, and no hash shows it',
      run: async () => {
        const hashes = [await hasher.hash(PASSWORD), await hasher.hash(PASSWORD)];
        assert.notEqual(hashes[0], hashes[1]);
        for (const hash of hashes) assert.ok(!hash.includes(PASSWORD));
      },
    },
    {
      name: 'keeps to the 255 characters of its column',
      run: async () => assert.ok((await hasher.hash(LONG)).length <= 255),
    },
    {
      name: 'lets no absurd hash match, and throws for none',
      run: async () => {
        for (const stored of ABSURD) assert.equal(await matches(PASSWORD, stored), false, JSON.stringify(stored));
      },
    },
    {
      name: 'verifies nothing without complaint',
      run: () => hasher.verifyNothing(PASSWORD),
    },
  ];
}
