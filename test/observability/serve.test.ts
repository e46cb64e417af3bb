import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openDatabase } from '../../src/database/index.js';
import { silentLogger } from '../../src/core/index.js';
import { testConfig } from '../support/database-config.js';
import { spawnPortal } from '../support/portal-process.js';
import { createProject, type Project } from '../support/project.js';
import { dialectUnderTest } from '../support/test-database.js';

/** As in docs/production.md, with a file in the place of a collector. */
const SDK = `
import { appendFileSync } from 'node:fs';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
const exporter = {
  export(spans, done) {
    for (const span of spans) appendFileSync('spans.txt', span.name + ' ' + span.spanContext().traceId + '\\n');
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};
const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
provider.register();
process.once('beforeExit', () => void provider.shutdown());
`;
/** Tells at the end whether the package was loaded; hides it when asked to. */
const SPY = `
const { Module } = require('node:module');
const resolve = Module._resolveFilename;
Module._resolveFilename = function (name, ...rest) {
  if (name === '@opentelemetry/api') {
    if (process.env.HIDE) throw Object.assign(new Error('not found'), { code: 'MODULE_NOT_FOUND' });
    process.stderr.write('LOADED OPENTELEMETRY\\n');
  }
  return resolve.call(this, name, ...rest);
};
`;
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let project: Project;
beforeAll(async () => {
  project = await createProject(dialectUnderTest());
  symlinkSync(join(process.cwd(), 'node_modules'), join(project.cwd, 'node_modules'));
  writeFileSync(join(project.cwd, 'tracing.js'), SDK);
  writeFileSync(join(project.cwd, 'spy.cjs'), SPY);
});
afterAll(() => project.remove());

const file = (name: string) => join(project.cwd, name);

describe('portal serve and OpenTelemetry', () => {
  it('gives the SDK of the host its spans, up to the last ones, and the lines of the log their trace', async () => {
    const NODE_OPTIONS = `--import ${pathToFileURL(file('tracing.js')).href}`;
    const serving = await project.serve({ TRACING_ENABLED: 'true', NODE_OPTIONS });
    const database = openDatabase(testConfig(project.databaseUrl), { logger: silentLogger });
    await database.execute('ALTER TABLE portal_products RENAME TO hidden_away');
    await database.close();
    const answer = await fetch(`${serving.url}/api/v1/api-products`, { headers: { traceparent: TRACEPARENT } });
    expect(answer.status).toBe(500);
    expect(await serving.stop()).toBe(0);
    const trace = TRACEPARENT.split('-')[1];
    expect(readFileSync(file('spans.txt'), 'utf8')).toContain(`GET /api/v1/api-products ${trace}`);
    const lines = serving
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const failed = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      // Jobs miss the table, too.
      .find(({ level, job }) => level === 'error' && job === undefined);
    expect(failed).toMatchObject({ trace_id: trace, span_id: expect.stringMatching(/^[\da-f]{16}$/) });
    expect(serving.output()).not.toContain('no OpenTelemetry SDK');
  });

  it('says so when no SDK takes the spans', async () => {
    const serving = await project.serve({ TRACING_ENABLED: 'true' });
    await serving.stop();
    expect(serving.output()).toMatch(/"fix":"start the process with --import .*no OpenTelemetry SDK takes the spans/);
  });

  it('names the setting and the way out when the package is not installed', async () => {
    const env = { TRACING_ENABLED: 'true', HIDE: 'yes', NODE_OPTIONS: `--require ${file('spy.cjs')}` };
    const { exitCode, stderr } = await spawnPortal(['serve'], { cwd: project.cwd, env: { ...project.env, ...env } });
    expect([exitCode, stderr]).toEqual([
      78,
      expect.stringMatching(/tracing\.enabled[\s\S]*npm install @opentelemetry\/api/),
    ]);
  });

  it('loads nothing of it while it is off', async () => {
    const NODE_OPTIONS = `--require ${file('spy.cjs')}`;
    const loaded = async (TRACING_ENABLED: string) => {
      const serving = await project.serve({ TRACING_ENABLED, NODE_OPTIONS });
      await fetch(`${serving.url}/api/v1/api-products`);
      await serving.stop();
      return serving.output().includes('LOADED OPENTELEMETRY');
    };
    expect([await loaded('true'), await loaded('false')]).toEqual([true, false]);
  });
});
