import { checkCriterion, holds } from '../../src/cli/workflow-conditions.js';
import { evaluate, fillIn, isExpression, type Scope } from '../../src/cli/workflow-expressions.js';

const SCOPE: Scope = {
  inputs: { name: 'Ada', 'x.y': 1, list: [{ id: 7 }], none: null },
  outputs: { token: 't' },
  steps: { pay: { outputs: { id: 'p1', all: { 'a/b': [true] } } } },
  workflows: { first: { inputs: { n: 2 }, outputs: { sum: 3 } } },
  sources: { orders: { url: './openapi.json' } },
  parameters: { page: 4 },
  exchange: {
    ...{ url: 'https://api.example.com/a?b=1', method: 'POST', status: 201 },
    request: { headers: { accept: 'x/y' }, query: { b: '1' }, path: { id: 'o 1' }, body: { user: { uuid: 'u' } } },
    response: { headers: { 'x-rate-limit': '10' }, body: { status: 'Settled', items: [{ 'a~b': 5 }, 6], none: null } },
  },
};

describe('runtime expressions of a workflow', () => {
  it.each([
    ['$url', 'https://api.example.com/a?b=1'],
    ['$method', 'POST'],
    ['$statusCode', 201],
    ['$request.header.Accept', 'x/y'],
    ['$request.query.b', '1'],
    ['$request.path.id', 'o 1'],
    ['$request.body#/user/uuid', 'u'],
    ['$response.header.X-Rate-Limit', '10'],
    ['$response.body#/items/0/a~0b', 5],
    ['$response.body#/items[1]', 6],
    ['$response.body.items[1]', 6],
    ['$response.body#/nothing/here', undefined],
    ['$response.body#/constructor', undefined],
    ['$inputs.name', 'Ada'],
    ['$inputs.x.y', 1],
    ['$inputs.list[0].id', 7],
    ['$inputs.__proto__.constructor', undefined],
    ['$outputs.token', 't'],
    ['$steps.pay.outputs.id', 'p1'],
    ['$steps.pay.outputs.all#/a~1b/0', true],
    ['$steps.gone.outputs.id', undefined],
    ['$workflows.first.outputs.sum', 3],
    ['$workflows.first.inputs.n', 2],
    ['$sourceDescriptions.orders.url', './openapi.json'],
    ['$components.parameters.page', 4],
  ])('%s is what it speaks of', (expression, value) => {
    expect(evaluate(expression, SCOPE)).toEqual(value);
  });

  it('keep their type as a whole, become text in a text, and are nothing else', () => {
    expect(
      fillIn(
        { n: '$inputs.x.y', text: '{$inputs.name} has {$inputs.list}', price: '$5.00', gone: '$inputs.gone' },
        SCOPE,
      ),
    ).toEqual({
      ...{ n: 1, text: 'Ada has [{"id":7}]', price: '$5.00' },
    });
    expect(() => fillIn('$steps.pay.outputs.gone', SCOPE)).toThrow('$steps.pay.outputs.gone has no value.');
    expect(['$', '$statusCodes', '$response', '$env.HOME'].filter(isExpression)).toEqual([]);
  });
});

describe('conditions of a workflow', () => {
  it.each([
    ["$statusCode == 201 && $response.body#/status == 'settled'", true],
    ['$statusCode==200||($statusCode>=201&&!($statusCode > 201))', true],
    ["$response.header.x-rate-limit > 9 && $response.header.x-rate-limit < '10.5'", true],
    ["$inputs.name != 'ada'", false],
    ["'it''s' == 'IT''S'", true],
    ['$response.body#/none == null && $response.body#/gone == null', true],
    ['!$response.body#/gone', true],
    ['{$statusCode == 201}', true],
    ['$inputs.list[0].id == 7.0', true],
    ['-1e1 < 0 && true != false', true],
    ["$inputs.name > 'Aca'", true],
    ['$response.body#/items >= 1', false],
  ])('%s is %s', (condition, expected) => {
    expect(holds({ type: 'simple', context: null, condition }, SCOPE)).toBe(expected);
  });

  it.each([
    ['$statusCode = 200', /what begins with "= 200" is unknown/],
    ['$statusCode ==', /ends too early/],
    ['($statusCode == 200', /"\)" is missing/],
    ['"a" == \'a\'', /is unknown/],
    ['$env.HOME == null', /no runtime expression/],
    ['1 2', /"2" is not expected/],
    [`${'('.repeat(60)}1${')'.repeat(60)}`, /deeper than 50/],
  ])('%s is refused with the reason', (condition, reason) => {
    expect(() => checkCriterion({ type: 'simple', context: null, condition })).toThrow(reason);
  });

  it('have 2000 characters at most', () => {
    const condition = '1'.repeat(2_001);
    expect(() => checkCriterion({ type: 'simple', context: null, condition })).toThrow(/longer than 2000/);
  });

  it('of type regex look at a context, and are broken off when they take too long', () => {
    const regex = (condition: string, context = '$response.body#/status') => ({ type: 'regex', context, condition });
    expect([
      holds(regex('^Set'), SCOPE),
      holds(regex('^set'), SCOPE),
      holds(regex('.', '$inputs.gone'), SCOPE),
    ]).toEqual([...[true, false, false]]);
    expect(() => checkCriterion(regex('('))).toThrow('"(" is no regular expression.');
    expect(() => checkCriterion(regex('a', 'status'))).toThrow('needs a runtime expression');
    const slow = { ...SCOPE, inputs: { text: `${'a'.repeat(40)}!` } };
    expect(() => holds(regex('^(a|a)*$', '$inputs.text'), slow)).toThrow('takes longer than 250 ms');
  });
});
