import { createHash } from 'node:crypto';
import type { WantedChange } from '../domain/console/index.js';
import { isWithin, type Wanted } from './files.js';
import type { Doc, Kind, Manager, Present } from './kind.js';
import type { AdminPort } from './port.js';
import { EnvValue, FileValue, resolveValue, presentValue } from './values.js';

/** One thing that an apply does, as a plan tells it. It never holds a secret. */
export interface Act {
  readonly kind: string;
  readonly key: string;
  readonly what: 'create' | 'update' | 'draft' | 'delete' | 'manage';
  /** Version that the record had; null for a new one. */
  readonly etag: string | null;
  /** Field → its present value and the wanted one. */
  readonly changes: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
  /** Of what is wanted, files included. */
  readonly digest: string;
  /** Keys that carry the product. */
  readonly keys?: number;
}

/** What is stored with `--out`, and applied when nothing moved meanwhile. */
export interface Plan {
  readonly version: 1;
  readonly acts: readonly Act[];
}

/** An act with everything needed to carry it out. */
export interface PlanStep extends Act {
  readonly of: Kind;
  readonly present: Present | null;
  readonly doc: Doc;
  readonly isProtected?: boolean;
  /** Marks a new record as its own. */
  readonly manager?: Manager | null;
}

/** Fields that name a file, whose kind reads it. */
const BESIDE = new Set(['document', 'workflows', 'thumbnail', 'text']);

/** The difference between files and portal, in the order in which it is carried out. */
export async function planChanges(
  port: AdminPort,
  wanted: readonly Wanted[],
  present: PresentRecords,
  { scope, manager = null }: { readonly scope?: string | undefined; readonly manager?: Manager | null } = {},
): Promise<PlanStep[]> {
  const steps: PlanStep[] = [];
  for (const one of wanted) {
    if (!isWithin(scope, one.kind.name, one.key)) continue;
    const found = (await present.of(one.kind)).get(one.key) ?? null;
    const step = found === null ? await creation(one) : await change(port, one, found);
    if (step) steps.push({ ...step, manager });
  }
  return steps;
}

/** The records of a portal by name, read once. */
export class PresentRecords {
  private readonly read = new Map<string, Promise<ReadonlyMap<string, Present>>>();

  constructor(private readonly port: AdminPort) {}

  of(kind: Kind): Promise<ReadonlyMap<string, Present>> {
    const known = this.read.get(kind.name);
    if (known) return known;
    const reading = kind.list(this.port).then((found) => new Map(found.map((one) => [one.key, one])));
    this.read.set(kind.name, reading);
    return reading;
  }
}

async function creation({ kind, key, doc }: Wanted): Promise<PlanStep> {
  const { protected: isProtected, ...fields } = doc;
  const changes = Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [field, [null, presentValue(value)] as const]),
  );
  const facts = { kind: kind.name, key, what: 'create', etag: null, changes, digest: await digestOf(fields) } as const;
  return { ...facts, of: kind, present: null, doc: fields, isProtected: isProtected === true };
}

async function change(port: AdminPort, { kind, key, doc }: Wanted, present: Present): Promise<PlanStep | null> {
  const differing: Record<string, unknown> = {};
  const changes: Record<string, readonly [unknown, unknown]> = {};
  for (const [field, value] of Object.entries(doc)) {
    if (field === 'protected') continue;
    const isSame = kind.isSame
      ? await kind.isSame(port, field, value, present)
      : JSON.stringify(value) === JSON.stringify(present.doc[field] ?? null) || isSameList(value, present.doc[field]);
    if (isSame) continue;
    differing[field] = value;
    changes[field] = [value instanceof EnvValue ? '(hidden)' : (present.doc[field] ?? null), presentValue(value)];
  }
  if (Object.keys(differing).length === 0) return null;
  const facts = { kind: kind.name, key, what: 'update', etag: present.etag, changes } as const;
  return { ...facts, digest: await digestOf(differing), of: kind, present, doc: differing };
}

function isSameList(wanted: unknown, present: unknown): boolean {
  const isNone = (value: unknown) => value === undefined || value === null || value === '';
  if (isNone(wanted) && isNone(present)) return true;
  if (!Array.isArray(wanted) || !Array.isArray(present)) return false;
  return JSON.stringify([...(wanted as string[])].sort()) === JSON.stringify([...(present as string[])].sort());
}

/** Digest of the values in files. A secret enters it by name, so that the digest reveals nothing about its value. */
async function digestOf(doc: Doc): Promise<string> {
  const hash = createHash('sha256');
  for (const [field, value] of Object.entries(doc).sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${field}\0`);
    if (value instanceof FileValue) hash.update(await value.read());
    else hash.update(JSON.stringify(presentValue(value) ?? null));
    hash.update('\0');
  }
  return hash.digest('hex');
}

/** The values as the API takes them. */
export async function toSendable(doc: Doc): Promise<Doc> {
  const entries: (readonly [string, unknown])[] = [];
  for (const [field, value] of Object.entries(doc)) {
    const isBeside = value instanceof FileValue && BESIDE.has(field);
    entries.push([field, isBeside ? value : await resolveValue(value)]);
  }
  return Object.fromEntries(entries);
}

/** A step as it is sent, with the files that it names. */
export async function toWantedChange(step: PlanStep): Promise<WantedChange> {
  const { kind, key, what, manager = null, isProtected = false } = step;
  const [doc, files]: [Record<string, unknown>, Record<string, string>] = [{}, {}];
  for (const [field, value] of Object.entries(await toSendable(step.doc))) {
    if (value instanceof FileValue) files[field] = (await value.read()).toString('base64');
    else doc[field] = value;
  }
  return { kind, key, what, etag: step.etag, doc, files, manager, protected: isProtected };
}

/** The part of a step that is told and stored. */
export function actOf({ kind, key, what, etag, changes, digest, keys }: PlanStep): Act {
  return { ...{ kind, key, what, etag, changes, digest }, ...(keys !== undefined && { keys }) };
}
