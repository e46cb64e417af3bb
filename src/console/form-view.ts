import type { FieldErrors } from '../core/index.js';
import type { FormState } from '../theme/index.js';
import { adminCall, type AdminVisit, type ConsoleContext } from './console-visit.js';
import type { FormValues } from './form-values.js';
import { textAt, type ApiRecord, type FieldChoices } from './resource.js';
import type { SchemaField } from './schema-fields.js';

/** More than these are typed, one per line. */
const MOST_CHOICES = 100;

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The controls of a form with what they hold, for the partial `console.fields`. */
export async function controlsOf(
  context: ConsoleContext,
  visit: AdminVisit,
  fields: readonly SchemaField[],
  values: FormValues,
  theirs: FormValues | null = null,
) {
  return Promise.all(
    fields.map(async (field) => {
      const choices = await choicesOf(context, visit, field);
      const value = values[field.name] ?? '';
      const differs = theirs !== null && field.kind !== 'translations' && !isSame(value, theirs[field.name] ?? '');
      return {
        ...field,
        kind: choices === null && field.kind === 'checks' ? 'lines' : field.kind,
        value: Array.isArray(value) && choices === null && field.kind === 'checks' ? value.join('\n') : value,
        options: (choices ?? []).map((choice) => ({ ...choice, isChosen: [value].flat().includes(choice.value) })),
        languages: field.kind === 'translations' ? languagesOf(context, field, values) : [],
        theirs: differs ? [theirs[field.name] ?? ''].flat().join(', ') : null,
        hasConflict: differs,
      };
    }),
  );
}

function isSame(a: string | readonly string[], b: string | readonly string[]): boolean {
  return JSON.stringify([a].flat().sort()) === JSON.stringify([b].flat().sort());
}

function languagesOf({ translated }: ConsoleContext, { name, texts }: SchemaField, values: FormValues) {
  return translated.map((locale) => ({
    locale,
    texts: texts.map((text) => ({
      ...text,
      control: `${name}.${locale}.${text.name}`,
      // The text to translate stands beside it.
      original: values[text.name] ?? '',
      value: values[`${name}.${locale}.${text.name}`] ?? '',
    })),
  }));
}

/** @returns null for more than a form can offer, or for an admin who may not list them */
async function choicesOf(
  context: ConsoleContext,
  visit: AdminVisit,
  field: SchemaField,
): Promise<readonly Choice[] | null> {
  const { choices } = field.options;
  if (choices === undefined) return field.values.map((value) => ({ value, label: value }));
  if (!(await context.operations.may(choices.operation, visit.actor))) return null;
  const { page } = await context.operations.run(
    choices.operation,
    adminCall(visit, { query: { per_page: String(MOST_CHOICES) } }),
  );
  if (!page || page.nextCursor !== null) return null;
  return page.items.map((item) => choiceOf(item as ApiRecord, choices));
}

function choiceOf(record: ApiRecord, { value, label }: FieldChoices): Choice {
  return { value: textAt(record, value), label: textAt(record, label) || textAt(record, value) };
}

/** Errors above a form that belong to none of its fields. */
export function problemsOf(fields: readonly SchemaField[], state: FormState | undefined) {
  const own = new Set(fields.map(({ name }) => name));
  const errors: FieldErrors = {};
  const others: string[] = [];
  for (const [path, sentences] of Object.entries(state?.errors ?? {})) {
    const [name = ''] = path.split('.', 1);
    if (own.has(name)) errors[name] = [...(errors[name] ?? []), ...sentences];
    else others.push(...sentences);
  }
  return { errors, others, problem: state?.problem ?? null, retryAfter: state?.retryAfter ?? null };
}
