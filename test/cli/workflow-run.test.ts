import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { WorkflowCaller, type CallerOptions } from '../../src/cli/workflow-caller.js';
import { presentWorkflows, Redactor, writeRun } from '../../src/cli/workflow-report.js';
import { WorkflowRunner } from '../../src/cli/workflow-runner.js';
import { findFaults } from '../../src/cli/workflow-steps.js';
import { packageFolder } from '../../src/core/manifest.js';
import { readRunnable, SpecWorkers } from '../../src/domain/catalog/index.js';
import { folderWith } from '../config/support.js';
import { portal } from '../support/portal-command.js';

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}
type Json = Record<string, unknown>;

const KEY = 'sandbox/key+0123456789';
const LARGEST = 1_000_000;

/** A server that notes what it hears. */
class Stage {
  readonly heard: Heard[] = [];
  answer: (heard: Heard, count: number) => Answer = () => ({});
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', headers } = request;
        const heard = { method, url, headers, body: Buffer.concat(chunks).toString() };
        this.heard.push(heard);
        const { status = 200, headers: more = {}, body = {} } = this.answer(heard, this.heard.length);
        const isText = typeof body === 'string';
        response.writeHead(status, { 'Content-Type': isText ? 'text/plain' : 'application/json', ...more });
        response.end(isText ? body : JSON.stringify(body));
      });
    });
  }

  async start(): Promise<this> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

const API = parse(`
openapi: 3.1.0
info: { title: Orders, version: '1' }
servers: [{ url: 'http://{host}.invalid/v1', variables: { host: { default: orders } } }]
security: [{ key: [] }]
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-API-Key }
    inQuery: { type: apiKey, in: query, name: api_key }
    bearer: { type: http, scheme: bearer }
    basic: { type: http, scheme: basic }
paths:
  /orders:
    get:
      operationId: listOrders
      parameters:
        - { name: ids, in: query, explode: false, schema: { type: array } }
        - { name: filter, in: query, style: deepObject, schema: { type: object } }
    post: { operationId: createOrder, requestBody: { content: { application/json: {} } } }
  /orders/{id}: { get: { operationId: getOrder } }
  /form: { post: { operationId: sendForm, requestBody: { content: { application/x-www-form-urlencoded: {} } } } }
  /bearer: { get: { operationId: bearer, security: [{ bearer: [] }] } }
  /basic: { get: { operationId: basic, security: [{ basic: [] }] } }
  /query: { get: { operationId: inQuery, security: [{ inQuery: [] }] } }
  /open: { get: { operationId: open, security: [] } }
  '@elsewhere.invalid/': { get: { operationId: elsewhere } }
`) as Json;

let stage: Stage;
let other: Stage;
const workers = new SpecWorkers();
beforeAll(async () => {
  [stage, other] = await Promise.all([new Stage().start(), new Stage().start()]);
});
beforeEach(() => {
  for (const one of [stage, other]) {
    one.heard.length = 0;
    one.answer = () => ({});
  }
});
afterAll(() => Promise.all([stage.stop(), other.stop()]));

function arazzo(workflows: unknown, more: Json = {}): string {
  const sourceDescriptions = [{ name: 'orders', url: './openapi.json', type: 'openapi' }];
  return JSON.stringify({
    arazzo: '1.0.1',
    info: { title: 'T', version: '1' },
    sourceDescriptions,
    workflows,
    ...more,
  });
}

const read = (text: string) => readRunnable(text, () => Promise.resolve(JSON.stringify(API)), LARGEST, workers);

/** One workflow, or several, of YAML. */
async function run(yaml: string, inputs: Json = {}, options: Partial<CallerOptions> & { server?: string } = {}) {
  const given = parse(yaml) as Json | Json[];
  const { workflows, components }: Json = Array.isArray(given) ? { workflows: given } : given;
  const document = await read(arazzo(workflows ?? [{ workflowId: 'w', ...given }], components ? { components } : {}));
  expect(findFaults(document)).toEqual([]);
  const waited: number[] = [];
  const caller = new WorkflowCaller({ timeout: 10, headers: {}, key: null, follows: true, ...options });
  const runner = new WorkflowRunner(document, inputs, {
    send: (request) => caller.send(request),
    wait: (seconds) => Promise.resolve(waited.push(seconds)),
    server: options.server ?? stage.url,
  });
  const records = await runner.run(document.workflows.map(({ id }) => id));
  const steps = records.flatMap((record) => record.steps);
  return { records, steps, waited, told: steps.map(({ step, outcome }) => `${step} ${outcome}`) };
}

describe('a workflow that is run', () => {
  it('fills path, query, header, cookie and body, and hands on what it got', async () => {
    stage.answer = ({ url }) =>
      url === '/orders' ? { status: 201, headers: { 'X-Id': 'o/1' }, body: { id: 'o/1' } } : {};
    const { told, records } = await run(
      `
parameters: [{ name: X-Trace, in: header, value: all }, { name: lang, in: cookie, value: e n }]
inputs: { type: object, properties: { items: {}, name: { default: Ada } } }
steps:
  - stepId: create
    operationId: createOrder
    parameters: [{ name: X-Trace, in: header, value: '{$inputs.name}-1' }]
    requestBody:
      payload: '{"by": "{$inputs.name} \\"A\\"", "items": [], "note": "$inputs.gone"}'
      replacements: [{ target: /items, value: $inputs.items }, { target: /first, value: $inputs.items#/0 }]
    successCriteria: [{ condition: $statusCode == 201 }]
    outputs: { id: $response.body#/id }
  - stepId: show
    operationPath: '{$sourceDescriptions.orders.url}#/paths/~1orders~1{id}/get'
    parameters: [{ name: id, in: path, value: $steps.create.outputs.id }]
  - stepId: list
    operationId: $sourceDescriptions.orders.listOrders
    parameters:
      - { name: ids, in: query, value: [a, b] }
      - { name: tag, in: query, value: [c, d] }
      - { name: filter, in: query, value: { state: open } }
      - { name: left, in: query, value: $inputs.left }
  - stepId: form
    operationId: sendForm
    requestBody: { payload: { a: $inputs.name, b: '1&2' } }
outputs: { order: $steps.create.outputs.id }`,
      { items: [1, 'two'] },
    );
    expect(told).toEqual(['create passed', 'show passed', 'list passed', 'form passed']);
    expect(records[0]?.outputs).toEqual({ order: 'o/1' });
    const [create, show, list, form] = stage.heard;
    expect(JSON.parse(create?.body ?? '')).toEqual({ by: 'Ada "A"', items: [1, 'two'], first: 1 });
    expect(create?.headers).toMatchObject({
      'x-trace': 'Ada-1',
      cookie: 'lang=e%20n',
      'content-type': 'application/json',
    });
    expect([show?.url, show?.headers['x-trace']]).toEqual(['/orders/o%2F1', 'all']);
    expect(list?.url).toBe('/orders?ids=a%2Cb&tag=c&tag=d&filter%5Bstate%5D=open');
    expect([form?.body, form?.headers['content-type']]).toEqual(['a=Ada&b=1%262', 'application/x-www-form-urlencoded']);
  });

  it('ends with the step that did not get what it expects, and says what and why', async () => {
    stage.answer = () => ({ status: 409, body: { error: 'taken', reset_token: 'abc', at: '<now>' } });
    const { records } = await run(`
steps:
  - { stepId: one, operationId: listOrders, successCriteria: [{ condition: $statusCode == 200 }, { condition: $response.body#/error == 'taken' }] }
  - { stepId: two, operationId: listOrders }`);
    const report = presentWorkflows(records, new Redactor([]));
    expect(stage.heard).toHaveLength(1);
    expect(writeRun(report, 'text').split('\n')).toEqual([
      'w: failed',
      '  ✗ one  GET /orders  409',
      '      expected $statusCode == 200',
      '      it answered: {"error":"taken","reset_token":"***","at":"<now>"}',
      '',
      '1 step, 1 failed.',
    ]);
    const junit = writeRun(report, 'junit');
    expect(junit).toContain('<testcase classname="w" name="one: GET /orders">');
    expect(junit).toContain('<failure message="expected $statusCode == 200" type="step">The status was 409.');
    expect(junit).toContain('&quot;at&quot;:&quot;&lt;now&gt;&quot;');
  });

  it('tells a missing path value, a server that is away, an answer that is too long, and one that does not come', async () => {
    const one = (step: string, options: { server?: string; timeout?: number } = {}) =>
      run(`steps: [{ stepId: one, ${step} }]`, {}, options).then(({ steps }) => steps[0]?.faults.join());
    expect(await one('operationId: getOrder')).toBe('the path /orders/{id} needs a value for id.');
    expect(await one("operationId: getOrder, parameters: [{ name: id, in: path, value: '..' }]")).toMatch(
      /other than "\.\."/,
    );
    expect(await one('operationId: elsewhere')).toBe('the path @elsewhere.invalid/ leads to another server.');
    expect(await one('operationId: open', { server: 'http://127.0.0.1:1' })).toMatch(/^the server cannot be reached/);
    stage.answer = () => ({ body: 'x'.repeat(5_000_001) });
    expect(await one('operationId: open')).toBe('the answer is longer than 5000000 bytes.');
    expect(stage.heard.map(({ url }) => url)).toEqual(['/open']);
  });

  it('takes no criteria for a status of 200 to 299', async () => {
    stage.answer = (_, count) => ({ status: count === 1 ? 204 : 302 });
    const yaml = 'steps: [{ stepId: a, operationId: createOrder }, { stepId: b, operationId: createOrder }]';
    expect((await run(yaml)).told).toEqual(['a passed', 'b failed']);
  });
});

describe('actions of a workflow', () => {
  it('retry up to their limit, with the delay of the server before their own, then go on to the next action', async () => {
    stage.answer = (_, count) => ({ status: 503, ...(count === 2 && { headers: { 'Retry-After': '7' } }) });
    const { told, waited, steps } = await run(`
steps:
  - stepId: ask
    operationId: open
    onFailure:
      - { name: later, type: retry, retryAfter: 1.5, retryLimit: 3, criteria: [{ condition: $statusCode == 503 }] }
      - { name: leave, type: goto, stepId: last }
  - { stepId: skipped, operationId: open }
  - { stepId: last, operationId: open, successCriteria: [{ condition: $statusCode == 503 }] }`);
    expect(told).toEqual(['ask recovered', 'last passed']);
    expect([waited, steps[0]?.attempts]).toEqual([[1.5, 7, 1.5], 4]);
  });

  it('retry once without a limit, after the step that they name', async () => {
    stage.answer = ({ url }, count) => ({ status: url === '/open' && count === 1 ? 401 : 200 });
    const { told } = await run(`
steps:
  - { stepId: ask, operationId: open, onFailure: [{ name: again, type: retry, stepId: sign }] , onSuccess: [{ name: done, type: end }] }
  - { stepId: sign, operationId: bearer }`);
    expect(told).toEqual(['sign passed', 'ask passed']);
    expect(stage.heard.map(({ url }) => url)).toEqual(['/open', '/bearer', '/open']);
  });

  it('of a step come before those of all steps, which components may say', async () => {
    stage.answer = () => ({ status: 500 });
    const { told } = await run(`
components: { failureActions: { on: { name: on, type: goto, stepId: last }, again: { name: again, type: retry, retryLimit: 2 } } }
workflows:
  - workflowId: w
    failureActions: [{ reference: $components.failureActions.again }, { reference: $components.failureActions.on }]
    steps:
      - { stepId: one, operationId: open, onFailure: [{ name: again, type: retry, retryLimit: 0 }] }
      - { stepId: never, operationId: open }
      - { stepId: last, operationId: open, onFailure: [{ name: stop, type: end }] }`);
    expect(told).toEqual(['one recovered', 'last failed']);
    // The end of the last one comes before the retry of all steps.
    expect(stage.heard).toHaveLength(2);
  });

  it('that go round in a circle end after 500 calls', async () => {
    const { told, steps } = await run(
      'steps: [{ stepId: a, operationId: open, onSuccess: [{ name: again, type: goto, stepId: a }] }]',
    );
    expect([stage.heard.length, told.at(-1), steps.at(-1)?.faults]).toEqual([
      ...[500, 'a failed', ['the run was ended after 500 calls.']],
    ]);
  });

  it('lead to other workflows, which steps call with inputs of their own, and dependencies come first', async () => {
    stage.answer = ({ url }) => ({ body: { at: url } });
    const { records } = await run(
      `
- workflowId: main
  dependsOn: [prepare]
  steps:
    - stepId: call
      workflowId: show
      parameters: [{ name: id, value: '{$workflows.prepare.outputs.at}1' }]
      successCriteria: [{ condition: $outputs.at == '/orders/x1' }]
      outputs: { at: $outputs.at }
      onSuccess: [{ name: over, type: goto, workflowId: prepare }]
- workflowId: prepare
  steps: [{ stepId: ask, operationId: open, outputs: { at: $response.body#/at } }]
  outputs: { at: $inputs.mark }
  inputs: { properties: { mark: { type: string } } }
- workflowId: show
  inputs: { required: [id], properties: { id: {} } }
  steps: [{ stepId: get, operationId: getOrder, parameters: [{ name: id, in: path, value: $inputs.id }], outputs: { at: $response.body#/at } }]
  outputs: { at: $steps.get.outputs.at }`,
      { mark: 'x' },
    );
    expect(stage.heard.map(({ url }) => url)).toEqual(['/open', '/orders/x1', '/open']);
    expect(records.map(({ workflow, isGreen }) => `${workflow} ${isGreen}`)).toEqual(['main true', 'show false']);
    expect(records[1]?.steps[0]?.faults).toEqual(['the workflow show needs the input id.']);
  });

  it('do not let workflows call each other for ever', async () => {
    const { told, steps } = await run('[{ workflowId: w, steps: [{ stepId: a, workflowId: w }] }]');
    expect(told).toHaveLength(12);
    expect(steps[0]?.faults.join()).toBe('workflows call each other more than 10 levels deep.');
  });
});

describe('the key of a workflow', () => {
  const steps = ['listOrders', 'bearer', 'basic', 'inQuery', 'open'].map(
    (id) => `{ stepId: ${id}, operationId: ${id} }`,
  );

  it('goes where the document asks for it, and nowhere else', async () => {
    await run(`steps: [${steps.join()}]`, {}, { key: KEY, headers: { 'x-team': 'a' } });
    const [header, bearer, basic, query, open] = stage.heard;
    expect(header?.headers).toMatchObject({ 'x-api-key': KEY, 'x-team': 'a' });
    expect(bearer?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(basic?.headers.authorization).toBe(`Basic ${Buffer.from(KEY).toString('base64')}`);
    expect(query?.url).toBe(`/query?api_key=${encodeURIComponent(KEY)}`);
    expect(JSON.stringify([open, basic?.url])).not.toContain('sandbox');
  });

  it('does not follow a redirect to another server, nor do other headers', async () => {
    stage.answer = ({ url }) =>
      url === '/orders'
        ? { status: 307, headers: { Location: '/open' } }
        : { status: 302, headers: { Location: `${other.url}/x` } };
    other.answer = () => ({ status: 302, headers: { Location: `${other.url}/y` } });
    const { steps: told } = await run(
      'steps: [{ stepId: one, operationId: listOrders, parameters: [{ name: X-Mine, in: header, value: m }] }]',
      {},
      { key: KEY, headers: { authorization: 'Bearer abcdef' } },
    );
    expect(stage.heard.map(({ headers }) => headers['x-api-key'])).toEqual([KEY, KEY]);
    expect(other.heard.length).toBeGreaterThan(1);
    for (const { headers } of other.heard)
      expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-api-key']));
    expect(JSON.stringify(other.heard)).not.toMatch(/sandbox|abcdef|x-mine/);
    expect(told[0]?.faults).toEqual(['the server redirects more than 5 times.']);
    stage.heard.length = 0;
    const { steps: kept } = await run('steps: [{ stepId: one, operationId: open }]', {}, { follows: false });
    expect([kept[0]?.status, stage.heard.length]).toEqual([302, 1]);
  });

  it('is in no report, however a server sends it back', async () => {
    const forms = [KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString('base64')];
    stage.answer = () => ({ status: 500, body: `${forms.join('\n::add-mask::')}\u001b[31m` });
    const { records } = await run(
      'steps: [{ stepId: inQuery, operationId: inQuery, outputs: { sent: $response.body } }]',
      {},
      { key: KEY },
    );
    const report = presentWorkflows(records, new Redactor([KEY]));
    const texts = [writeRun(report, 'text'), writeRun(report, 'junit'), JSON.stringify(report)];
    for (const text of texts) for (const form of forms) expect(text).not.toContain(form);
    expect(texts[0]).toContain('it answered: *** ::add-mask::*** ::add-mask::***\\u001b[31m');
  });
});

describe('portal workflow:run', () => {
  let cwd: string;
  const call = (...args: string[]) => portal(['workflow:run', ...args], { cwd, env: { SANDBOX_KEY: KEY } });
  beforeAll(async () => {
    cwd = await folderWith({});
    const inputs = {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'integer' }, password: { type: 'string' } },
    };
    const value = { name: 'id', in: 'path', value: '$inputs.id' };
    const steps = [
      { stepId: 'get', operationId: 'getOrder', parameters: [value], outputs: { said: '$response.body#/said' } },
    ];
    const workflow = { workflowId: 'show', inputs, steps, outputs: { said: '$steps.get.outputs.said' } };
    writeFileSync(join(cwd, 'flow.json'), arazzo([workflow]));
    writeFileSync(join(cwd, 'openapi.json'), JSON.stringify(API));
    writeFileSync(join(cwd, 'inputs.json'), '{"id": 3, "password": "correct horse"}');
    const xpath = { context: '$response.body', condition: '//a', type: { type: 'xpath', version: 'xpath-10' } };
    writeFileSync(
      join(cwd, 'xpath.json'),
      arazzo([{ ...workflow, steps: [{ ...steps[0], successCriteria: [xpath] }] }]),
    );
    writeFileSync(
      join(cwd, 'far.json'),
      arazzo([workflow], { sourceDescriptions: [{ name: 'o', url: `${stage.url}/openapi.json` }] }),
    );
    writeFileSync(
      join(cwd, 'missing.json'),
      arazzo([{ workflowId: 'w', steps: [{ stepId: 's', operationId: 'gone' }] }]),
    );
  });

  it('finds the OpenAPI document beside its own and ends with 0, or 1 for a step that failed', async () => {
    stage.answer = ({ headers, url }) => ({
      status: headers['x-api-key'] === KEY ? 200 : 401,
      body: { said: `${url} correct horse` },
    });
    const asked = ['flow.json', 'show', '--server', stage.url, '--key-env', 'SANDBOX_KEY'];
    const good = await call(...asked, '--inputs', 'inputs.json', '--input', 'id=5', '--json');
    expect([good.exitCode, JSON.parse(good.stdout)]).toMatchObject([
      0,
      {
        passed: true,
        counts: { steps: 1, failed: 0 },
        workflows: [{ workflow: 'show', outputs: { said: '/orders/5 ***' } }],
      },
    ]);
    const bad = await call(
      'flow.json',
      '--server',
      stage.url,
      '--input',
      'id=5',
      '--header',
      'X-API-Key: wrong-key',
      '--format',
      'junit',
    );
    expect([bad.exitCode, bad.stdout]).toEqual([1, expect.stringContaining('expected a status of 200 to 299')]);
    expect(bad.stdout).not.toContain('wrong-key');
  });

  it('runs the workflows of the demo', async () => {
    const settles = [{ status: 'pending' }, { status: 'settled', settled_at: 'now' }];
    const routes: Record<string, () => Answer> = {
      'POST /payees/verify': () => ({ body: { result: 'match' } }),
      'POST /payments': () => ({ status: 201, body: { id: 'pay_1' } }),
      'GET /payments/pay_1': () => ({
        headers: { 'Retry-After': '0' },
        body: settles.shift() ?? { status: 'settled' },
      }),
      'POST /payments/pay_1/refunds': () => ({ status: 201, body: { id: 'ref_1' } }),
    };
    stage.answer = ({ method, url }) => routes[`${method} ${url}`]?.() ?? { status: 404 };
    const inputs = ['name=Ada', 'iban=DE89370400440532013000', 'amount=149.90', 'account=acc_1', 'refund=49.90'];
    const { exitCode, stdout } = await portal(
      ['workflow:run', 'payments.arazzo.yaml', '--server', stage.url, '--key-env', 'SANDBOX_KEY', '--input', ...inputs],
      { cwd: join(packageFolder(), 'templates/demo/specs'), env: { SANDBOX_KEY: KEY } },
    );
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('  ✓ wait  GET /payments/{paymentId}  200  (2 attempts)'),
    ]);
    expect(stdout).toContain('  ✓ pay-and-wait › wait');
    expect(stdout).toContain('  ✓ refund  POST /payments/{paymentId}/refunds  201');
    expect(stage.heard.every(({ headers }) => headers['x-api-key'] === KEY)).toBe(true);
  });

  it.each([
    [['gone.json'], /gone\.json cannot be read/],
    [['openapi.json'], /openapi\.json: The document is not Arazzo 1/],
    [['flow.json', '--spec', 'flow.json'], /flow\.json: The document is not OpenAPI/],
    [['far.json'], /Addresses are not fetched: name a file with --spec/],
    [['missing.json'], /Workflow "w", step "s": the document of the API has no operation "gone"/],
    [['xpath.json'], /Workflow "show", step "get": criteria of type xpath are not evaluated/],
    [['flow.json', 'shown'], /There is no workflow shown\. There is show/],
    [['flow.json'], /The workflow show needs --input id=…/],
    [['flow.json', '--input', 'id=five'], /--input id must be of type integer/],
    [['flow.json', '--input', 'ids=5'], /There is no input ids\. Did you mean id\?/],
    [['flow.json', '--server', 'https://me:secret@x.example'], /--server must be an address/],
    [['flow.json', '--key-env', 'GONE'], /The variable GONE has no key/],
    [['flow.json', '--header', 'nonsense'], /the 1\. one is not written as Name: value/],
  ])('ends with 2 for %j and calls nothing', async (args, reason) => {
    const { exitCode, stderr } = await call(...args);
    expect([exitCode, stderr]).toEqual([2, expect.stringMatching(reason)]);
    expect(stage.heard).toEqual([]);
  });
});
