import type { ObjectSchema, ValidationError as JoiError } from 'joi';
import { ValidationError, type FieldErrors } from '../../kernel/index.js';

/**
 * Strict for bodies: nothing is converted, so a number never passes for a string (S12). Unknown keys are dropped, which
 * is also what keeps mass assignment out (S52): handlers see declared fields only.
 * @throws ValidationError with one list of sentences per field
 */
export function validateBody<T>(schema: ObjectSchema<T>, value: unknown): T {
  return validate(schema, value, false);
}

/** For query strings, where everything arrives as text. A repeated key arrives as a list and is refused by the schema. */
export function validateQuery<T>(schema: ObjectSchema<T>, value: unknown): T {
  return validate(schema, value, true);
}

function validate<T>(schema: ObjectSchema<T>, value: unknown, convert: boolean): T {
  const result = schema.validate(value, {
    abortEarly: false,
    convert,
    stripUnknown: true,
    errors: { wrap: { label: false }, label: 'path' },
  });
  if (result.error) throw new ValidationError(fieldErrors(result.error));
  return result.value;
}

function fieldErrors(error: JoiError): FieldErrors {
  const errors: FieldErrors = {};
  for (const { path, message, type, context } of error.details) {
    const field = path.length > 0 ? path.join('.') : 'body';
    (errors[field] ??= []).push(path.length > 0 ? sentence(message) : ofTheBody(type, message, context?.label));
  }
  return errors;
}

// The schema of a body is labelled for the documentation; that name means nothing to a client.
function ofTheBody(type: string, message: string, label = 'value'): string {
  if (type === 'object.base') return 'The body must be a JSON object.';
  return sentence(message.startsWith(`${label} `) ? `The body ${message.slice(label.length + 1)}` : message);
}

function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}
