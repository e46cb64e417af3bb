import { expect, it } from '@jest/globals';
import { Totals } from '../../src/database/listing/totals.js';

const START = Date.parse('2026-01-01T00:00:00.000Z');

function totalsAt(offset: { ms: number }): Totals {
  return new Totals({ now: () => new Date(START + offset.ms) });
}

it('a large total is kept for 25 s', () => {
  const offset = { ms: 0 };
  const totals = totalsAt(offset);
  totals.keep('large', 100_001, null);
  totals.keep('small', 100_000, null);
  offset.ms = 24_999;
  expect([totals.find('large', null), totals.find('small', null)]).toEqual([100_001, undefined]);
  offset.ms = 25_000;
  expect(totals.find('large', null)).toBeUndefined();
});

it('a total with a version is kept as long as the version stands', () => {
  const offset = { ms: 0 };
  const totals = totalsAt(offset);
  totals.keep('small', 7, 3);
  offset.ms = 86_400_000;
  expect([totals.find('small', 3), totals.find('small', 4), totals.find('small', null)]).toEqual([
    7,
    undefined,
    undefined,
  ]);
});

it('the oldest totals are forgotten', () => {
  const totals = totalsAt({ ms: 0 });
  for (let i = 0; i <= 500; i += 1) totals.keep(`list ${i}`, i, 1);
  expect([totals.find('list 0', 1), totals.find('list 1', 1), totals.find('list 500', 1)]).toEqual([undefined, 1, 500]);
});
