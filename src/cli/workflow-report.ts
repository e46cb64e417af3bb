import { toUSVString } from 'node:util';
import { isSecretName } from '../core/index.js';
import { escapeControls } from './plain-text.js';
import { escapeXml } from './spec-report.js';
import { textOfValue } from './workflow-expressions.js';
import type { WorkflowRecord } from './workflow-runner.js';
import type { StepRecord } from './workflow-steps.js';

/** Characters of an answer that are shown. */
const SHOWN = 500;
/** Shorter texts are no secrets: they would be found everywhere. */
const SHORTEST_SECRET = 4;
const HIDDEN = '***';
/** Levels of an answer that are shown. */
const DEEPEST = 50;
const MARKS = { passed: '✓', failed: '✗', recovered: '↷' } as const;

/** Removes secrets from reports, in every form in which they are sent. */
export class Redactor {
  private readonly forms: readonly string[];

  constructor(secrets: readonly string[]) {
    const forms = secrets
      .filter(({ length }) => length >= SHORTEST_SECRET)
      .flatMap((one) => [
        one,
        encodeURIComponent(one),
        JSON.stringify(one).slice(1, -1),
        Buffer.from(one).toString('base64'),
      ]);
    this.forms = [
      ...new Set([...forms, ...forms.map((form) => new URLSearchParams([['', form]]).toString().slice(1))]),
    ].sort((one, other) => other.length - one.length);
  }

  text(text: string): string {
    return this.forms.reduce((left, form) => left.replaceAll(form, HIDDEN), text);
  }

  /** The same of each text of a value, names of fields included; what is secret by its name is left out. */
  value(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > DEEPEST) return '…';
    if (Array.isArray(value)) return value.map((item: unknown) => this.value(item, depth + 1));
    const entries = Object.entries(value).map(([name, item]) => {
      const isHidden = isSecretName(name) && item !== null && typeof item !== 'boolean';
      return [this.text(name), isHidden ? HIDDEN : this.value(item, depth + 1)] as const;
    });
    return Object.fromEntries(entries);
  }
}

/** Input of a report. */
export function presentWorkflows(records: readonly WorkflowRecord[], redactor: Redactor) {
  const workflows = records.map(({ workflow, isGreen, outputs, steps }) => ({
    ...{ workflow, outcome: isGreen ? 'passed' : 'failed' },
    outputs: redactor.value(outputs),
    steps: steps.map((record) => presentStep(record, redactor)),
  }));
  const steps = workflows.flatMap((one) => one.steps);
  const failed = steps.filter(({ outcome }) => outcome === 'failed').length;
  return { passed: records.every(({ isGreen }) => isGreen), counts: { steps: steps.length, failed }, workflows };
}

type PresentedRun = ReturnType<typeof presentWorkflows>;
type PresentedStep = ReturnType<typeof presentStep>;

function presentStep(
  { workflow, step, call, outcome, attempts, status, faults, body }: StepRecord,
  redactor: Redactor,
) {
  const redact = (text: string) => oneLine(redactor.text(text));
  const answer = body === null ? null : oneLine(textOfValue(redactor.value(body)));
  return {
    ...{ workflow, step, call: redact(call), outcome, attempts, status, faults: faults.map(redact) },
    answer: answer !== null && answer.length > SHOWN ? `${answer.slice(0, SHOWN)}…` : answer,
  };
}

/** No line begins with text of a server: pipelines obey some lines as commands. Two characters are not allowed in XML. */
function oneLine(text: string): string {
  return escapeControls(
    toUSVString(text)
      .replaceAll(/[\ufffe\uffff]/g, '')
      .replaceAll('\n', ' '),
  );
}

/** For people, or as JUnit XML, in which a step is a test. */
export function writeRun(run: PresentedRun, format: 'text' | 'junit'): string {
  return format === 'junit' ? writeJunit(run) : writeText(run);
}

function writeText({ workflows, counts }: PresentedRun): string {
  const lines = workflows.flatMap(({ workflow, outcome, steps }) => [
    `${workflow}: ${outcome}`,
    ...steps.flatMap((step) => [`  ${MARKS[step.outcome]} ${headOf(step, workflow)}`, ...detailsOf(step)]),
    '',
  ]);
  return [...lines, `${counts.steps} ${counts.steps === 1 ? 'step' : 'steps'}, ${counts.failed} failed.`].join('\n');
}

function headOf({ workflow, step, call, status, attempts }: PresentedStep, run: string): string {
  const name = [...(workflow === run ? [] : [workflow]), ...(step === '' ? [] : [step])].join(' › ');
  const tries = attempts > 1 ? `  (${attempts} attempts)` : '';
  return [name, call, status === null ? '' : String(status)].filter(Boolean).join('  ') + tries;
}

function detailsOf({ outcome, faults, answer }: PresentedStep): string[] {
  if (outcome === 'passed') return [];
  return [...faults.map((fault) => `      ${fault}`), ...(answer === null ? [] : [`      it answered: ${answer}`])];
}

function writeJunit({ workflows, counts }: PresentedRun): string {
  const suites = workflows.flatMap(({ workflow, steps }) => {
    const failed = steps.filter(({ outcome }) => outcome === 'failed').length;
    return [
      `  <testsuite name="${escapeXml(workflow)}" tests="${steps.length}" failures="${failed}">`,
      ...steps.map(writeCase),
      '  </testsuite>',
    ];
  });
  const head = `<testsuites name="workflow:run" tests="${counts.steps}" failures="${counts.failed}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...suites, '</testsuites>'].join('\n');
}

function writeCase(step: PresentedStep): string {
  const name = [step.step, step.call].filter(Boolean).join(': ');
  const open = `    <testcase classname="${escapeXml(step.workflow)}" name="${escapeXml(name)}"`;
  if (step.outcome !== 'failed') return `${open}/>`;
  const status = step.status === null ? [] : [`The status was ${step.status}.`];
  const text = [...status, ...detailsOf(step).map((line) => line.trim())].join('\n');
  const message = escapeXml(step.faults.join(' '));
  return `${open}>\n      <failure message="${message}" type="step">${escapeXml(text)}</failure>\n    </testcase>`;
}
