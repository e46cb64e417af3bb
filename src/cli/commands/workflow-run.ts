import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { RunnableDocument } from '../../portal.js';
import { defineCommand } from '../command.js';
import { EXIT, UsageError } from '../errors.js';

/** Largest document of an API, in bytes: the most that a portal may be set to take. */
const LARGEST = 104_857_600;
const LONGEST_TIMEOUT = 600;
const MILLISECONDS = 1_000;

export const workflowRun = defineCommand({
  name: 'workflow:run',
  summary: 'run the workflows of an Arazzo document against a server',
  description:
    'Makes the calls of an Arazzo 1 document one after the other and says which step did not get what it expects. It needs no ' +
    'project and no portal. The OpenAPI document is the file that the Arazzo document names, or --spec; nothing is fetched but ' +
    'what the steps call. The key in the variable that --key-env names goes where the OpenAPI document asks for a credential, and ' +
    'into no report. Ends with 0 if all steps passed, with 1 if one failed, and with 2 if a document cannot be read or run.',
  example: [
    'portal workflow:run payments.arazzo.yaml --server https://sandbox.example.com/v2 --key-env SANDBOX_KEY',
    'portal workflow:run payments.arazzo.yaml pay-and-wait --input amount=149.90 account=acc_1 --format junit > workflows.xml',
  ],
  arguments: {
    file: { description: 'the Arazzo document' },
    workflow: { description: 'the workflow to run; all of the document without', optional: true },
  },
  options: {
    spec: {
      type: 'text',
      placeholder: 'file',
      description: 'OpenAPI document; the one that the Arazzo document names without',
    },
    server: {
      type: 'text',
      placeholder: 'url',
      description: 'where the API answers, in place of what its document says',
    },
    input: { type: 'list', placeholder: 'name=value', description: 'inputs of the workflows' },
    inputs: { type: 'text', placeholder: 'file', description: 'JSON file with inputs; those of --input come first' },
    keyEnv: { type: 'text', placeholder: 'name', description: 'variable with the key or token that the API asks for' },
    header: { type: 'list', placeholder: 'name: value', description: 'headers of each call' },
    timeout: { type: 'integer', default: 30, placeholder: 'seconds', description: 'longest time for a call' },
    redirects: { type: 'flag', default: true, description: 'take a redirect for the answer instead of following it' },
    format: {
      type: 'choice',
      choices: ['text', 'json', 'junit'],
      default: 'text',
      description: 'how the result is written',
    },
  },
  reports: true,
  async run({ cwd, ui, json, args, options }) {
    const { timeout, server } = options;
    if (timeout < 1 || timeout > LONGEST_TIMEOUT) throw new UsageError(`--timeout must be 1 to ${LONGEST_TIMEOUT}.`);
    const [{ isAddress }, { gatherInputs, readCredentials, secretInputs }, { WorkflowCaller }] = await Promise.all([
      import('../workflow-request.js'),
      import('../workflow-inputs.js'),
      import('../workflow-caller.js'),
    ]);
    if (server !== undefined && !isAddress(server)) {
      throw new UsageError(
        '--server must be an address that begins with http:// or https://, without user name and password.',
      );
    }
    const { key, headers, secrets } = await readCredentials(options.keyEnv, options.header);
    const document = await readDocument(cwd, args.file, options.spec);
    const ids = chooseWorkflows(document, args.workflow);
    const given = options.inputs === undefined ? '{}' : await readText(resolve(cwd, options.inputs), options.inputs);
    const inputs = gatherInputs(document, ids, given, options.input ?? []);
    const [{ WorkflowRunner }, { presentWorkflows, Redactor, writeRun }] = await Promise.all([
      import('../workflow-runner.js'),
      import('../workflow-report.js'),
    ]);
    const caller = new WorkflowCaller({ timeout, headers, key, follows: options.redirects });
    const runner = new WorkflowRunner(document, inputs, {
      send: (request) => caller.send(request),
      wait: (seconds) => wait(seconds * MILLISECONDS),
      server: server ?? null,
    });
    const records = await runner.run(ids);
    const run = presentWorkflows(records, new Redactor([...secrets, ...secretInputs(document, inputs)]));
    if (json) ui.json(run);
    else ui.line(options.format === 'json' ? JSON.stringify(run, null, 2) : writeRun(run, options.format));
    return run.passed ? EXIT.ok : EXIT.failed;
  },
});

/** @throws UsageError for what cannot be read or run */
async function readDocument(cwd: string, file: string, spec: string | undefined): Promise<RunnableDocument> {
  const [{ readRunnable }, { findFaults }] = await Promise.all([
    import('../../portal.js'),
    import('../workflow-steps.js'),
  ]);
  const path = resolve(cwd, file);
  const text = await readText(path, file);
  let described = spec ?? '';
  const findSpec = (url: string) => {
    if (spec !== undefined) return readText(resolve(cwd, spec), spec);
    described = url;
    if (!isLocal(url)) {
      throw new UsageError(
        `${file} names its OpenAPI document by the address ${url.slice(0, 200)}. Addresses are not fetched: name a file with --spec.`,
      );
    }
    return readText(resolve(dirname(path), decodeURI(url)), url);
  };
  const document = await readRunnable(text, findSpec, LARGEST).catch((error: Error & { readonly field?: string }) => {
    if (error.field !== 'workflows' && error.field !== 'spec') throw error;
    throw new UsageError(`${error.field === 'spec' ? described : file}: ${error.message}`);
  });
  const faults = findFaults(document);
  if (faults.length > 0) throw new UsageError(`${file}: ${faults.slice(0, 5).join(' ')}`);
  return document;
}

/** A path beside the document, with `%20` and the like at most. */
function isLocal(url: string): boolean {
  if (isAbsolute(url) || url.startsWith('//') || URL.canParse(url)) return false;
  try {
    return decodeURI(url) !== '';
  } catch {
    return false;
  }
}

async function readText(path: string, name: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => {
    throw new UsageError(`${name} cannot be read. Name it as a path from the current folder.`);
  });
}

function chooseWorkflows({ workflows }: RunnableDocument, named: string | undefined): string[] {
  const ids = workflows.map(({ id }) => id);
  if (named === undefined) return ids;
  if (ids.includes(named)) return [named];
  throw new UsageError(`There is no workflow ${named}. There is ${ids.slice(0, 20).join(', ')}.`);
}
