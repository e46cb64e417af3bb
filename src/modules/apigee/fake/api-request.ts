import { ApigeeFault, faults } from './apigee-fault.js';
import type { FakeApigeeAttribute } from './apigee-model.js';

/** A request below `/v1/organizations/{org}`. */
export interface ApiRequest {
  readonly method: string;
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly contentType: string;
}

export interface FakeApigeeAnswer {
  readonly status: number;
  /** Without it the answer has no body. */
  readonly body?: unknown;
}

export const answerDone = (body: unknown): FakeApigeeAnswer => ({ status: 200, body });
export const answerCreated = (body: unknown): FakeApigeeAnswer => ({ status: 201, body });
export const noContent: FakeApigeeAnswer = { status: 204 };

/** No such endpoint; X answers with Google's HTML page. */
export class UnknownCall extends Error {}

/** The verb of a call that changes a state. Such calls have no body and must be sent as `application/octet-stream`. */
export function actionOf<T extends string>(request: ApiRequest, verbs: readonly T[]): T | undefined {
  const action = request.query.get('action');
  if (action === null) return undefined;
  const verb = verbs.find((candidate) => candidate === action);
  if (verb === undefined) throw faults.invalid(`Invalid action ${action}`);
  if (request.contentType !== 'application/octet-stream') {
    throw new ApigeeFault(400, 'keymanagement.service.InvalidContentType', 'An action takes application/octet-stream');
  }
  return verb;
}

export function readState(verb: 'approve' | 'revoke'): 'approved' | 'revoked' {
  return verb === 'approve' ? 'approved' : 'revoked';
}

export function readField(body: ApiRequest['body'], field: string): string | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw faults.invalid(`${field} must be a string`);
  return value;
}

export function requireText(body: ApiRequest['body'], field: string): string {
  const value = readField(body, field);
  if (value === undefined || value === '') throw faults.invalid(`${field} is required`);
  return value;
}

/** @returns undefined if the field was not sent */
export function textsOf(body: ApiRequest['body'], field: string): readonly string[] | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw faults.invalid(`${field} must be a list of strings`);
  }
  return value;
}

/** 64-bit numbers may also be sent as strings. @returns undefined if the field was not sent */
export function int64Of(body: ApiRequest['body'], field: string): number | undefined {
  const value = body[field];
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'number' || typeof value === 'string' ? Number(value) : NaN;
  if (!Number.isSafeInteger(number)) throw faults.invalid(`${field} must be a whole number`);
  return number;
}

/** Empty if not sent: sending a record replaces all of its attributes. */
export function attributesOf(
  body: ApiRequest['body'],
  field = 'attributes',
  most = Infinity,
): readonly FakeApigeeAttribute[] {
  const value = body[field] ?? [];
  if (!Array.isArray(value)) throw faults.invalid(`${field} must be a list`);
  if (value.length > most) throw faults.invalid(`At most ${most} attributes`);
  return value.map((item: unknown) => {
    const attribute = item as Partial<FakeApigeeAttribute> | null;
    if (typeof attribute?.name !== 'string' || typeof attribute.value !== 'string') {
      throw faults.invalid('An attribute has a name and a value');
    }
    return { name: attribute.name, value: attribute.value };
  });
}

/** The whole list, or the part from `startKey` on, including it. @throws ApigeeFault if there is no such item */
export function partOf<T>(items: readonly T[], keyOf: (item: T) => string, options: PartOptions): readonly T[] {
  const { startKey, count, kind } = options;
  const start = startKey === null ? 0 : items.findIndex((item) => keyOf(item) === startKey);
  if (start === -1) throw faults.cursorUnknown(kind, startKey ?? '');
  return items.slice(start, start + count);
}

interface PartOptions {
  readonly startKey: string | null;
  readonly count: number;
  /** How the fault names the kind of record. */
  readonly kind: string;
}

export function countOf(query: URLSearchParams, most: number, name = 'count'): number {
  const count = Number(query.get(name) ?? most);
  if (!Number.isSafeInteger(count) || count < 1) throw faults.invalid(`Invalid ${name}`);
  return Math.min(count, most);
}

export const isTrue = (query: URLSearchParams, name: string): boolean => query.get(name) === 'true';
