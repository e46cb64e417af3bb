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
  const { services, viewer, locale, start, messages } = reading;
  const product = await services.catalog.products.find(api, viewer, locale);
  const workflows = await services.catalog.products.workflows.list(product);
  const lines = workflowLines(workflows, productAddress(start, product.address));
  return `${blocksOf(`# ${writeLine(product.name)}: ${messages.workflows}`, lines.join('\n') || messages.none)}\n`;
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
  { start, messages }: Pick<Reading, 'start' | 'messages'>,
  { product, workflow, find }: ReadWorkflow,
  ending: '.md' | '',
): string {
  const address = productAddress(start, product.address);
  const ids = (list: readonly string[]) =>
    list.map((id) => linkTo(id, `${address}/workflows/${id}${ending}`)).join(', ');
  const { description, dependsOn, inputs, eachStep, steps, outputs } = workflow;
  const rules = [...parameterLines(eachStep), ...actionLines(eachStep, messages)];
  const inputLines = inputs.map(({ name, type, isRequired, preset, text }) => {
    // Nobody has to give what is there already.
    const need = preset ? `${messages['by-default']} ${codeSpan(preset)}` : isRequired ? messages.required : '';
    const facts = [writeLine(type), need].filter(Boolean).join(', ');
    return `- ${codeSpan(name)}${facts ? ` (${facts})` : ''}${text ? `: ${writeLine(text)}` : ''}`;
  });
  return blocksOf(
    writeText(description),
    dependsOn.length > 0 && `${messages['runs-before']}: ${ids(dependsOn)}`,
    inputLines.length > 0 && `## ${messages.inputs}`,
    inputLines.join('\n'),
    rules.length > 0 && `## ${messages['each-step']}`,
    rules.join('\n'),
    `## ${messages.steps}`,
    ...steps.map((step, at) =>
      stepBlock(step, `${at + 1}. ${writeLine(step.id)}`, { address, find, messages, ending }),
    ),
    outputs.length > 0 && `## ${messages.outputs}`,
    outputs.map(({ name, text }) => `- ${codeSpan(name)}: ${codeSpan(text)}`).join('\n'),
  );
}

interface StepContext extends Pick<Reading, 'messages'> {
  readonly address: string;
  readonly find: FindCalled;
  readonly ending: '.md' | '';
}

function stepBlock(step: WorkflowStep, title: string, context: StepContext): string {
  const { messages } = context;
  const lines = [
    lineOf(messages, step.call.kind === 'workflow' ? 'runs' : 'calls', describeCall(step, context)),
    ...parameterLines(step),
  ];
  const put = (key: string) => (one: NamedText) =>
    lineOf(messages, key, `${codeSpan(one.name)} = ${codeSpan(one.text)}`);
  const after = [
    ...step.replacements.map(put('puts-in')),
    ...step.criteria.map((text) => lineOf(messages, 'succeeds', codeSpan(text))),
    ...actionLines(step, messages),
    ...step.outputs.map(put('output')),
  ];
  const type = step.body?.type ? ` (${codeSpan(step.body.type)})` : '';
  return blocksOf(
    `### ${title}`,
    writeText(step.description),
    lines.join('\n'),
    step.body && `${messages.sends}${type}:`,
    step.body && fenceCode(step.body.text, /json/.test(step.body.type) ? 'json' : ''),
    after.join('\n'),
  );
}

type Messages = Reading['messages'];

const lineOf = (messages: Messages, key: string, text: string) => `- ${messages[key] ?? key}: ${text}`;

function parameterLines({ parameters }: StepRules): string[] {
  return parameters.map(({ name, text }) => `- ${codeSpan(name)}: ${codeSpan(text)}`);
}

function actionLines({ onSuccess, onFailure }: StepRules, messages: Messages): string[] {
  return [
    ...onSuccess.map((text) => lineOf(messages, 'on-success', codeSpan(text))),
    ...onFailure.map((text) => lineOf(messages, 'on-failure', codeSpan(text))),
  ];
}

function describeCall({ call }: WorkflowStep, { address, find, messages, ending }: StepContext): string {
  const name = callText(call);
  if (call.kind === 'workflow') return linkTo(name, `${address}/workflows/${name}${ending}`);
  const operation = find(call);
  if (!operation) return `${codeSpan(name)} (${messages['not-there']})`;
  const { method, path, summary, anchor } = operation;
  const link = `${address}/spec/operations/${encodeURIComponent(anchor)}${ending}`;
  return `${linkTo(`${method.toUpperCase()} ${path}`, link)}${summary ? ` ${writeLine(summary)}` : ''}`;
}
