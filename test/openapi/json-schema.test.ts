import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import { Joi } from '../../src/api/index.js';
import { JsonSchemaWriter } from '../../src/openapi/json-schema.js';
import { sample } from '../../src/openapi/sample.js';

const write = (schema: ReturnType<typeof Joi.any>) => new JsonSchemaWriter().write(schema);

describe('a joi schema as JSON Schema', () => {
  it.each([
    ['text is not empty unless it may be', Joi.string(), { type: 'string', minLength: 1 }],
    ['text that may be empty', Joi.string().allow('').max(5), { type: 'string', maxLength: 5 }],
    ['null joins the type', Joi.string().max(5).allow(null), { type: ['string', 'null'], maxLength: 5, minLength: 1 }],
    ['patterns lose their slashes', Joi.string().pattern(/^[a-z]+$/), { type: 'string', pattern: '^[a-z]+$' }],
    ['patterns with flags are left out', Joi.string().pattern(/^[a-z]+$/i), { type: 'string', minLength: 1 }],
    ['instants', Joi.string().isoDate(), { type: 'string', format: 'date-time' }],
    ['choices', Joi.string().valid('a', 'b'), { type: 'string', enum: ['a', 'b'] }],
    ['choices and null', Joi.string().valid('a').allow(null), { type: ['string', 'null'], enum: ['a', null] }],
    ['choices of several types', Joi.valid('a', 1), { type: ['string', 'number'], enum: ['a', 1] }],
    ['the value of another field says nothing', Joi.string().valid(Joi.ref('a')), { type: 'string', minLength: 1 }],
    ['positive whole numbers', Joi.number().integer().positive(), { type: 'integer', minimum: 1 }],
    ['positive numbers', Joi.number().positive(), { type: 'number', exclusiveMinimum: 0 }],
    ['single values beside a type', Joi.number().allow('all'), { anyOf: [{ type: 'number' }, { const: 'all' }] }],
    [
      'alternatives and null',
      Joi.alternatives(Joi.number(), Joi.boolean()).allow(null),
      { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
    ],
    [
      'lists of several kinds',
      Joi.array().items(Joi.number(), Joi.boolean()).length(2).unique(),
      {
        type: 'array',
        items: { anyOf: [{ type: 'number' }, { type: 'boolean' }] },
        minItems: 2,
        maxItems: 2,
        uniqueItems: true,
      },
    ],
    [
      'names that share a form',
      Joi.object().pattern(Joi.string().max(3), Joi.number()).max(9),
      {
        type: 'object',
        additionalProperties: { type: 'number' },
        propertyNames: { type: 'string', maxLength: 3, minLength: 1 },
        maxProperties: 9,
      },
    ],
    [
      'names of a pattern',
      Joi.object().pattern(/^x-/, Joi.any()),
      { type: 'object', patternProperties: { '^x-': {} } },
    ],
    ['anything at all', Joi.object().unknown(), { type: 'object', additionalProperties: true }],
    ['nothing', Joi.object({}), { type: 'object', properties: {} }],
    [
      'fields that ask for each other',
      Joi.object({ a: Joi.boolean(), b: Joi.boolean() }).xor('a', 'b').with('a', 'b'),
      {
        type: 'object',
        properties: { a: { type: 'boolean' }, b: { type: 'boolean' } },
        allOf: [{ oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { dependentRequired: { a: ['b'] } }],
      },
    ],
    [
      'descriptions, defaults and the last example',
      Joi.boolean().description('Whether.').default(true).example(false).example(true),
      { type: 'boolean', description: 'Whether.', default: true, examples: [true] },
    ],
  ])('%s', (_name, schema, expected) => {
    expect(write(schema as never)).toEqual(expected);
  });

  it('makes components of objects with a label, also of those that hold themselves', () => {
    const writer = new JsonSchemaWriter();
    const node = Joi.object({ children: Joi.array().items(Joi.link('#node')).required() })
      .id('node')
      .label('Node');
    const other = Joi.object({ a: Joi.boolean() }).label('Other').description('Another.');
    expect(writer.write(Joi.object({ root: node.allow(null), other }))).toEqual({
      type: 'object',
      properties: {
        root: { anyOf: [{ $ref: '#/components/schemas/Node' }, { type: 'null' }] },
        other: { $ref: '#/components/schemas/Other', description: 'Another.' },
      },
    });
    expect(writer.schemas).toEqual({
      Node: {
        type: 'object',
        properties: { children: { type: 'array', items: { $ref: '#/components/schemas/Node' } } },
        required: ['children'],
      },
      Other: { type: 'object', properties: { a: { type: 'boolean' } } },
    });
  });

  it('never refuses what joi takes', () => {
    const schema = Joi.object({
      name: Joi.string().max(4).pattern(/^\w*$/).allow('', null),
      count: Joi.number().integer().min(-2).less(5),
      tags: Joi.array().items(Joi.string().max(2), Joi.number()).max(2),
      kind: Joi.valid('a', 1, null),
    });
    const ajv = new Ajv2020({ strict: false, formats: fullFormats });
    const validate = ajv.compile(write(schema));
    const scalar = fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.integer({ min: -3, max: 6 }),
      fc.constantFrom('', null, 'a', 1.5),
    );
    const value = fc.record(
      { name: scalar, count: scalar, tags: fc.array(scalar, { maxLength: 3 }), kind: scalar },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(value, (input) => {
        const { error } = schema.validate(input, { convert: false });
        return error !== undefined || validate(input);
      }),
      { numRuns: 2_000, seed: 6 },
    );
  });
});

describe('an example made of a schema', () => {
  it('is of that schema, or there is none', () => {
    expect(sample({ type: 'object', properties: { a: { type: 'string', pattern: 'x' } }, required: ['a'] }, {})).toBe(
      undefined,
    );
    expect(
      sample({ type: 'object', properties: { a: { type: 'string', pattern: 'x' }, b: { type: 'integer' } } }, {}),
    ).toEqual({ b: 1 });
  });
});
