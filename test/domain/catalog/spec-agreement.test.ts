import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { diffSpecs } from '../../../src/domain/catalog/openapi/diff/diff-documents.js';
import { BOUNDS } from '../../../src/domain/catalog/openapi/diff/effects.js';
import { RULES } from '../../../src/domain/catalog/openapi/diff/rules.js';
import { document, field, header, parameter, request, response, type Json } from '../../support/small-specs.js';

const TODAY = '2026-11-23';

/** A test of oasdiff; test/data/oasdiff/README.md says what is in the table. */
interface Case {
  readonly test: string;
  readonly at: string;
  readonly days?: number;
  readonly least?: 'E' | 'W';
  readonly schemas?: Json;
  readonly old: Json;
  readonly new: Json;
  readonly finds: readonly string[];
}

const inPath = (schema: unknown) =>
  document({}, { paths: { '/a/{q}': { get: { parameters: [{ name: 'q', in: 'path', required: true, schema }] } } } });
const PLACES: Readonly<Record<string, (value: Json) => Json>> = {
  op: (value) => document(value),
  doc: (value) => document({}, value),
  request,
  'request-property': (value) => request(field(value)),
  response,
  'response-property': (value) => response(field(value)),
  query: (value) => parameter(value),
  header: (value) => parameter(value, 'header'),
  path: inPath,
  'response-header': header,
};

/** The cells of oasdiff's test of bounds: a keyword that comes or goes, at each place, is told once and by its level. */
function boundCells(): Case[] {
  const places = { 'request-body': 'request', 'response-body': 'response', 'request-parameter': 'query' } as const;
  const all = {
    ...places,
    ...Object.fromEntries(
      Object.keys(PLACES)
        .filter((at) => /^re.*-/.test(at))
        .map((at) => [at, at]),
    ),
  };
  const keywords = { ...BOUNDS, multipleOf: 'multiple-of' };
  return Object.entries(all).flatMap(([scope, at]) =>
    Object.entries(keywords).flatMap(([keyword, name]) =>
      (['set', 'unset'] as const).map((action) => {
        const isBreaking = scope.startsWith('request') === (action === 'set');
        const [none, some] = [{}, { [keyword]: 1 }];
        const [old, present] = action === 'set' ? [none, some] : [some, none];
        const finds = [`${isBreaking ? 'E' : 'I'} ${scope}-${name}-${action}`];
        return { test: `BoundCellsFire/${scope}-${name}-${action}`, at, old, new: present, finds };
      }),
    ),
  );
}

/** What is known to differ; docs/spec-diff.md says why. */
const DIFFERENT = [
  'Breaking_Servers',
  'Breaking_RequestPropertyAllOfAdded',
  'Breaking_RequestPropertyAllOfRemoved',
  'ChangeMediaTypeParameters',
  'APIGlobalSecurityyAdded',
  'APIGlobalSecurityyDeleted',
  'APISecurityAdded',
  'APISecurityDeleted',
];

describe('agreement with the tests of oasdiff', () => {
  const LEVELS = { breaking: 'E', warning: 'W', info: 'I' } as const;
  const found = ({ at, schemas, days, least, ...one }: Case) => {
    const place = PLACES[at] as (value: Json) => Json;
    const [old, present] = [one.old, one.new].map((value) => ({
      ...place(value),
      ...(schemas && { components: { schemas } }),
    })) as [Json, Json];
    const { changes } = diffSpecs(old, present, { today: TODAY, sunsetDays: days ?? 0 });
    const levels = { E: ['E'], W: ['E', 'W'], I: ['E', 'W', 'I'] }[least ?? 'I'];
    return changes.map(({ level, id }) => `${LEVELS[level]} ${id}`).filter(([level = '']) => levels.includes(level));
  };

  it('is at least 95 % in rule and level, and docs/spec-diff.md names what differs', () => {
    const cases = [...(parse(readFileSync('test/data/oasdiff/cases.yaml', 'utf8')) as Case[]), ...boundCells()];
    const differing = cases.flatMap((one) => {
      const told = found(one).sort();
      const isSame = JSON.stringify(told) === JSON.stringify([...one.finds].sort());
      return isSame ? [] : [`${one.test}: ${one.finds.join(', ') || 'nothing'}, here ${told.join(', ') || 'nothing'}`];
    });
    const agreement = 1 - differing.length / cases.length;
    expect(cases.length).toBeGreaterThan(400);
    expect({ agreement: agreement >= 0.95, differing: differing.map((line) => line.split(':')[0]) }).toEqual({
      agreement: true,
      differing: DIFFERENT.toSorted((one, two) => orderOf(cases, one) - orderOf(cases, two)),
    });
    const page = readFileSync('docs/spec-diff.md', 'utf8');
    expect(page).toContain(`${cases.length - differing.length} of ${cases.length}`);
    expect(DIFFERENT.filter((name) => !page.includes(name))).toEqual([]);
  });
});

const orderOf = (cases: readonly Case[], name: string) => cases.findIndex(({ test }) => test === name);

describe('the rules', () => {
  it('have the levels of oasdiff, and docs/spec-diff.md lists those of oasdiff that are missing', () => {
    const levels = { ERR: 'breaking', WARN: 'warning', INFO: 'info' } as const;
    const theirs = new Map<string, string>();
    for (const line of readFileSync('test/data/oasdiff/rules.txt', 'utf8').split('\n')) {
      const [level = '', ...names] = line.split(' ');
      if (!(level in levels)) continue;
      for (const name of names.flatMap(expand)) theirs.set(name, levels[level as keyof typeof levels]);
    }
    expect(theirs.size).toBeGreaterThan(450);
    const shared = [...theirs].filter(([id]) => RULES.has(id));
    expect(shared.filter(([id, level]) => RULES.get(id) !== level)).toEqual([]);
    const missing = [...theirs].filter(([id]) => !RULES.has(id)).map(([id, level]) => `- \`${id}\` (${level})`);
    const page = readFileSync('docs/spec-diff.md', 'utf8');
    expect(page.match(/^- `[\w-]+` \((?:breaking|warning|info)\)$/gm)).toEqual(missing);
    expect(page).toContain(`${shared.length} of the ${theirs.size}`);
  });

  it('hide nothing that breaks behind hundreds of lesser changes of a schema, and say that no more were counted', () => {
    const codes = Array.from({ length: 600 }, (_, index) => `C${index}`);
    const answer = (code: readonly string[], last: Json) => response({ properties: { code: { enum: code }, last } });
    const policy = { today: TODAY, sunsetDays: 0 };
    const { counts, isComplete } = diffSpecs(answer(codes, { type: 'string' }), answer([], {}), policy);
    expect([counts, isComplete]).toEqual([{ breaking: 1, warning: 0, info: 500 }, false]);
  });
});

/** `a-{b,c}-d` as `a-b-d` and `a-c-d`. */
function expand(name: string): string[] {
  const [whole, list] = /\{([^}]*)\}/.exec(name) ?? [];
  if (whole === undefined || list === undefined) return [name];
  return list.split(',').flatMap((part) => expand(name.replace(whole, part)));
}
