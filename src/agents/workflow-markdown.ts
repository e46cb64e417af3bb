import {
  callText,
  codeSpan,
  fenceCode,
  finderOf,
  type FindCalled,
  type NamedText,
  type StepRules,
  type ViewedProduct,
  type Workflow,
  type WorkflowStep,
} from '../domain/catalog/index.js';
import { blocksOf, linkTo, writeLine, shortenLine, writeText } from './markdown.js';
import { productAddress, readOutline, type Reading } from './reading.js';

const LONGEST_LINE = 160;

/** A workflow with the product that it is of, as its reader may see both. */
interface ReadWorkflow {
  readonly product: ViewedProduct;
  readonly workflow: Workflow;
  /** In the document of the product; finds none where that cannot be shown now. */
  readonly find: FindCalled;
}

/** @throws NotFoundError for a product that is hidden, and for a workflow that it does not have */
export async function readWorkflow(reading: Reading, api: string, id: string): Promise<ReadWorkflow> {
  const { services, viewer, locale } = reading;
  const product = await services.catalog.products.find(api, viewer, locale);
  const workflow = await services.catalog.products.workflows.find(product, id);
  const outline = await readOutline(reading, product);
  return { product, workflow, find: finderOf(outline?.operations ?? []) };
}

/** The workflows of a product, for agents that choose one. @throws NotFoundError */
export async function workflowIds({ services, viewer, locale }: Reading, api: string): Promise<string[]> {
  const product = await services.catalog.products.find(api, viewer, locale);
  const workflows = await services.catalog.products.workflows.list(product);
  return workflows.map(({ id, summary, description }) => {
    const about = summary || description;
    return `- ${id}${about ? `: ${shortenLine(about, LONGEST_LINE)}` : ''}`;
  });
}

/** Links to workflows. @param address of the product */
export function workflowLines(workflows: readonly Workflow[], address: string): string[] {
  return workflows.map(({ id, summary }) => `- ${linkTo(summary || id, `${address}/workflows/${id}.md`)}`);
}

/** The page with the workflows of a product as Markdown. @throws NotFoundError */
export async function workflowListMarkdown(reading: Reading, api: string): Promise<string> {
  const { services, viewer, locale, start, words } = reading;
  const product = await services.catalog.products.find(api, viewer, locale);
  const workflows = await services.catalog.products.workflows.list(product);
  const lines = workflowLines(workflows, productAddress(start, product.address));
  return `${blocksOf(`# ${writeLine(product.name)}: ${words.workflows}`, lines.join('\n') || words.none)}\n`;
}

/** A workflow as a file for agents. @throws NotFoundError */
export async function workflowText(reading: Reading, api: string, id: string): Promise<string> {
  const read = await readWorkflow(reading, api, id);
  const { name } = read.product;
  const title = read.workflow.summary || read.workflow.id;
  return `${blocksOf(`# ${writeLine(title)}`, `> ${writeLine(name)}`, workflowMarkdown(reading, read, '.md'))}\n`;
}

/**
 * What a workflow says below its title, to be read or to be drawn as guides are.
 * @param ending of addresses: `.md` for agents, nothing for pages
 */
export function workflowMarkdown(
  { start, words }: Pick<Reading, 'start' | 'words'>,
  { product, workflow, find }: ReadWorkflow,
  ending: '.md' | '',
): string {
  const address = productAddress(start, product.address);
  const ids = (list: readonly string[]) =>
    list.map((id) => linkTo(id, `${address}/workflows/${id}${ending}`)).join(', ');
  const { description, dependsOn, inputs, eachStep, steps, outputs } = workflow;
  const rules = [...parameterLines(eachStep), ...actionLines(eachStep, words)];
  const inputLines = inputs.map(({ name, type, isRequired, preset, text }) => {
    // Nobody has to give what is there already.
    const need = preset ? `${words['by-default']} ${codeSpan(preset)}` : isRequired ? words.required : '';
    const facts = [writeLine(type), need].filter(Boolean).join(', ');
    return `- ${codeSpan(name)}${facts ? ` (${facts})` : ''}${text ? `: ${writeLine(text)}` : ''}`;
  });
  return blocksOf(
    writeText(description),
    dependsOn.length > 0 && `${words['runs-before']}: ${ids(dependsOn)}`,
    inputLines.length > 0 && `## ${words.inputs}`,
    inputLines.join('\n'),
    rules.length > 0 && `## ${words['each-step']}`,
    rules.join('\n'),
    `## ${words.steps}`,
    ...steps.map((step, at) => stepBlock(step, `${at + 1}. ${writeLine(step.id)}`, { address, find, words, ending })),
    outputs.length > 0 && `## ${words.outputs}`,
    outputs.map(({ name, text }) => `- ${codeSpan(name)}: ${codeSpan(text)}`).join('\n'),
  );
}

interface StepScene extends Pick<Reading, 'words'> {
  readonly address: string;
  readonly find: FindCalled;
  readonly ending: '.md' | '';
}

function stepBlock(step: WorkflowStep, title: string, scene: StepScene): string {
  const { words } = scene;
  const lines = [
    lineOf(words, step.call.kind === 'workflow' ? 'runs' : 'calls', describeCall(step, scene)),
    ...parameterLines(step),
  ];
  const put = (word: string) => (one: NamedText) =>
    lineOf(words, word, `${codeSpan(one.name)} = ${codeSpan(one.text)}`);
  const after = [
    ...step.replacements.map(put('puts-in')),
    ...step.criteria.map((text) => lineOf(words, 'succeeds', codeSpan(text))),
    ...actionLines(step, words),
    ...step.outputs.map(put('output')),
  ];
  const type = step.body?.type ? ` (${codeSpan(step.body.type)})` : '';
  return blocksOf(
    `### ${title}`,
    writeText(step.description),
    lines.join('\n'),
    step.body && `${words.sends}${type}:`,
    step.body && fenceCode(step.body.text, /json/.test(step.body.type) ? 'json' : ''),
    after.join('\n'),
  );
}

type Words = Reading['words'];

const lineOf = (words: Words, word: string, text: string) => `- ${words[word] ?? word}: ${text}`;

function parameterLines({ parameters }: StepRules): string[] {
  return parameters.map(({ name, text }) => `- ${codeSpan(name)}: ${codeSpan(text)}`);
}

function actionLines({ onSuccess, onFailure }: StepRules, words: Words): string[] {
  return [
    ...onSuccess.map((text) => lineOf(words, 'on-success', codeSpan(text))),
    ...onFailure.map((text) => lineOf(words, 'on-failure', codeSpan(text))),
  ];
}

function describeCall({ call }: WorkflowStep, { address, find, words, ending }: StepScene): string {
  const name = callText(call);
  if (call.kind === 'workflow') return linkTo(name, `${address}/workflows/${name}${ending}`);
  const operation = find(call);
  if (!operation) return `${codeSpan(name)} (${words['not-there']})`;
  const { method, path, summary, anchor } = operation;
  const link = `${address}/spec/operations/${encodeURIComponent(anchor)}${ending}`;
  return `${linkTo(`${method.toUpperCase()} ${path}`, link)}${summary ? ` ${writeLine(summary)}` : ''}`;
}
