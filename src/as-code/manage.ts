import { isWithin, type Wanted } from './files.js';
import { resourceOf, type Kind, type Manager, type Present } from './kind.js';
import type { PresentRecords, PlanStep } from './planner.js';
import type { AdminPort } from './port.js';

interface Mark {
  readonly id: number;
  readonly managed_by: string;
  readonly source: string | null;
  readonly protected: boolean;
}

/** Who manages what, by kind and id. */
export type ManagedMarks = ReadonlyMap<string, Mark>;

export async function readManagedMarks(port: AdminPort): Promise<ManagedMarks> {
  const found = (await port.call('listManagedRecords')) as (Mark & { readonly kind: string })[];
  return new Map(found.map((mark) => [`${mark.kind}/${mark.id}`, mark]));
}

/** Somebody else manages a record that the files name. */
export class ManagedElsewhere extends Error {
  constructor(record: string, { managed_by: name, source }: Mark) {
    super(`${record} is managed by ${name}${source === null ? '' : ` (${source})`}.`);
    this.name = 'ManagedElsewhere';
  }
}

interface Managing {
  readonly wanted: readonly Wanted[];
  readonly present: PresentRecords;
  readonly marks: ManagedMarks;
  readonly manager: Manager;
  readonly scope?: string | undefined;
}

/**
 * Steps that mark records of the files which are not marked yet.
 * @param adopts takes over what others manage
 * @throws ManagedElsewhere unless it does
 */
export async function planMarks(
  { wanted, present, marks, manager, scope }: Managing,
  adopts: boolean,
): Promise<PlanStep[]> {
  const steps: PlanStep[] = [];
  for (const { kind, key, doc } of wanted) {
    if (!isWithin(scope, kind.name, key)) continue;
    const found = (await present.of(kind)).get(key);
    if (!found) continue;
    const mark = marks.get(`${resourceOf(kind)}/${found.id}`);
    const isProtected = doc.protected === true;
    const isOurs = mark?.managed_by === manager.name;
    if (mark && !isOurs && !adopts) throw new ManagedElsewhere(`${kind.name}/${key}`, mark);
    if (mark && isOurs && mark.source === manager.source && mark.protected === isProtected) continue;
    steps.push(markStep(kind, found, manager, isProtected, mark));
  }
  return steps;
}

function markStep(
  of: Kind,
  present: Present,
  manager: Manager,
  isProtected: boolean,
  mark: Mark | undefined,
): PlanStep {
  const changes = {
    ...(mark?.managed_by !== manager.name && { managed_by: [mark?.managed_by ?? null, manager.name] as const }),
    ...((mark?.protected ?? false) !== isProtected && { protected: [mark?.protected ?? false, isProtected] as const }),
  };
  const facts = { kind: of.name, key: present.key, what: 'manage', etag: null, changes, digest: '' } as const;
  return { ...facts, of, present, doc: {}, isProtected, manager };
}

/**
 * Steps that delete what the manager has and the files have not: of kinds that are in the files, never what is protected or
 * ships with the portal. A product with keys becomes a draft.
 */
export async function planPrune(
  port: AdminPort,
  { wanted, present, marks, manager, scope }: Managing,
): Promise<PlanStep[]> {
  const steps: PlanStep[] = [];
  for (const kind of [...new Set(wanted.map((one) => one.kind))].reverse()) {
    const keys = new Set(wanted.filter((one) => one.kind === kind).map(({ key }) => key));
    for (const found of (await present.of(kind)).values()) {
      const mark = marks.get(`${resourceOf(kind)}/${found.id}`);
      const isGone = !keys.has(found.key) && mark?.managed_by === manager.name && !mark.protected;
      if (!isGone || kind.isKept?.(found) === true || !isWithin(scope, kind.name, found.key)) continue;
      const step = await removal(port, kind, found);
      if (step) steps.push(step);
    }
  }
  return steps;
}

async function removal(port: AdminPort, of: Kind, present: Present): Promise<PlanStep | null> {
  const keys = await of.countKeys?.(port, present);
  const facts = { kind: of.name, key: present.key, etag: present.etag, digest: '', of, present } as const;
  if (keys === undefined || keys === 0) return { ...facts, what: 'delete', changes: {}, doc: {} };
  if (present.doc.visibility === 'draft') return null;
  const changes = { visibility: [present.doc.visibility, 'draft'] as const };
  return { ...facts, what: 'draft', changes, doc: { visibility: 'draft' }, keys };
}

/** A record that is managed from now on. */
export interface NewMark {
  /** As the API calls such records. */
  readonly kind: string;
  readonly id: number;
  readonly manager: Manager;
  readonly isProtected: boolean;
}

/** As many as one call takes. */
const MOST_MARKS = 500;

export async function markRecords(port: AdminPort, marks: readonly NewMark[]): Promise<void> {
  for (const kind of new Set(marks.map((mark) => mark.kind))) {
    const records = marks
      .filter((mark) => mark.kind === kind)
      .map(({ id, manager: { name, source }, isProtected }) => ({
        id,
        managed_by: name,
        source,
        protected: isProtected,
      }));
    for (let first = 0; first < records.length; first += MOST_MARKS) {
      const body = { kind, records: records.slice(first, first + MOST_MARKS) };
      await port.call('setManagedRecords', { body });
    }
  }
}
