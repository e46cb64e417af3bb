import fc from 'fast-check';

/** JSON that `JSON.stringify` would not write or fast-check not print; {@link marked} stands for it in generated values. */
const RAW = [
  ...['1e999', '-1e999', '9223372036854775808', '1E400', '-0', '0.1e-400', '1e21'],
  ...[20, 32, 34, 5000].map((depth) => '[{"a":'.repeat(depth / 2) + '1' + '}]'.repeat(depth / 2)),
];
const marked = (index: number): string => `\u0001raw ${index}\u0001`;

/** What breaks parsers, columns, templates, shells and tables, as text. */
const HOSTILE_TEXTS: readonly string[] = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', 'x\udfff', '\ufeff', '\u202etxt.exe', 'e\u0301', 'İ', 'ﬀ', '\u200b'],
  ...['💥'.repeat(60), 'a'.repeat(101), 'a'.repeat(256), 'é'.repeat(2049), 'a'.repeat(5000), 'a'.repeat(70_000)],
  ...[
    "'",
    '"',
    '`',
    "' OR '1'='1",
    '1; DROP TABLE portal_users --',
    '%',
    '_',
    '%s%n',
    '\\',
    '*',
    '?',
    ':1',
    '$1',
    '@@x',
  ],
  ...['../../etc/passwd', '..', '.', '/', '%2e%2e', '<script>alert(1)</script>', '{{7*7}}', '${7*7}', '\r\nX-Evil: 1'],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'NaN', 'Infinity', 'true', '[]'],
  ...['0', '-1', '1e3', '0x10', '00', '1.5', '9007199254740993', '9223372036854775808', '1'.repeat(400)],
  ...[
    '1970-01-01',
    '0000-00-00',
    '9999-12-31T23:59:59Z',
    '275760-09-14',
    'a@b',
    'a@b.c',
    '"a b"@example.com',
    'x@[::1]',
  ],
];

export const hostileText = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** Any JSON value, more often one that hurts. */
const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: hostileText },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      1e308,
      5e-324,
      2 ** 53,
      ...RAW.map((_text, index) => marked(index)),
    ),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      [],
      {},
      [[]],
      [null],
      { $ne: null },
      { length: 1e9 },
      { toString: 'x', valueOf: 1 },
      { then: 'x' },
      Object.fromEntries([['__proto__', { isAdmin: true }]]),
      { constructor: { prototype: { isAdmin: true } } },
      Array.from({ length: 1200 }, (_none, index) => index),
    ),
  },
);

const hostileName = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', '0', 'id', 'a.b', 'a[b]'),
  hostileText,
);

/** What is to be exchanged in a good body, or sent in its place. */
export type BodyAttack = { readonly instead: unknown } | { readonly changes: readonly FieldChange[] };

interface FieldChange {
  readonly name: string;
  /** Undefined: the field is left out. */
  readonly value: unknown;
  /** Inside of a list or an object, whose outside stays right. */
  readonly within: boolean;
}

export function bodyAttack(names: readonly string[]): fc.Arbitrary<BodyAttack> {
  const own = names.length > 0 ? [{ weight: 3, arbitrary: fc.constantFrom(...names) }] : [];
  const change = fc.record({
    name: fc.oneof(...own, { weight: 1, arbitrary: hostileName }),
    value: fc.option(hostileValue, { nil: undefined, freq: 8 }),
    within: fc.boolean(),
  });
  return fc.oneof(
    { weight: 6, arbitrary: fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }) }) },
    { weight: 1, arbitrary: fc.record({ instead: hostileValue }) },
  );
}

/** The JSON text that an attack makes of a good body. */
export function attackedBody(good: Readonly<Record<string, unknown>>, attack: BodyAttack): string {
  if ('instead' in attack) return toJsonText(attack.instead);
  const fields = new Map<string, unknown>(Object.entries(good));
  for (const { name, value, within } of attack.changes) {
    const present = fields.get(name);
    if (within && Array.isArray(present)) fields.set(name, [value]);
    else if (within && typeof present === 'object' && present !== null) fields.set(name, { ...present, x: value });
    else fields.set(name, value);
  }
  return toJsonText(Object.fromEntries(fields));
}

function toJsonText(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.replace(/"\\u0001raw (\d+)\\u0001"/g, (_all, index: string) => RAW[Number(index)] ?? '');
}

/** Node refuses a head of more than 16 kB itself. */
const LONGEST_SEGMENT = 2000;

/** One segment of a path or a piece of a query, percent-encoded rightly or wrongly. */
export const hostileSegment = fc.oneof(
  { weight: 4, arbitrary: hostileText.map((text) => encodeURIComponent(wellFormed(text)).slice(0, LONGEST_SEGMENT)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        '%',
        '%zz',
        '%ff',
        '%00',
        '%c0%af',
        '%ed%a0%80',
        '%2e%2e',
        '..',
        '.',
        '%2f',
        '%5c..%5c',
        '..%2f..',
        ';a=b',
        '%20',
      ],
      ...[
        '0',
        '-1',
        '1e1',
        '1.0',
        '+1',
        '01',
        '99999999999',
        '9007199254740991',
        '9007199254740993',
        '1%00',
        '1;1',
        '1,2',
      ],
      ...['create', 'CREATE', 'null', '__proto__', 'constructor', "1'--", '*', '()', '[x]', '$', '@', ':id', '~', '!'],
    ),
  },
);

/** Without halves of surrogate pairs, which no URL can hold. */
export function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
