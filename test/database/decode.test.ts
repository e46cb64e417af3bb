import { decodeRows } from '../../src/database/decode.js';

const decoded = (value: unknown, decoder: 'date' | 'json' | 'boolean') =>
  decodeRows([{ value }], { value: decoder })[0]?.value;

it.each([
  ['2026-11-21 10:11:12.345', '2026-11-21T10:11:12.345Z'],
  ['2026-11-21 10:11:12.345 +00:00', '2026-11-21T10:11:12.345Z'],
  ['2026-11-21 10:11:12.345678', '2026-11-21T10:11:12.345Z'],
  ['2026-11-21 10:11:12', '2026-11-21T10:11:12.000Z'],
  ['2026-11-21 10:11:12 +00:00', '2026-11-21T10:11:12.000Z'],
  ['2024-02-29 23:59:59.999', '2024-02-29T23:59:59.999Z'],
  ['1000-01-01 00:00:00.000', '1000-01-01T00:00:00.000Z'],
  ['9999-12-31 23:59:59.999', '9999-12-31T23:59:59.999Z'],
])('the stored date %s is a moment in UTC', (stored, moment) => {
  expect(decoded(stored, 'date')).toEqual(new Date(moment));
});

it('what is no date becomes an invalid one', () => {
  expect(Number(decoded('yesterday', 'date'))).toBeNaN();
});

it('null stays null, and JSON and booleans get their types', () => {
  expect([decoded(null, 'date'), decoded('{"a":1}', 'json'), decoded(0, 'boolean')]).toEqual([null, { a: 1 }, false]);
});
