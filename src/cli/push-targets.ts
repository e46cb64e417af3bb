import type { AdminPort } from '../as-code/index.js';
import type { ChangeLevel, DocumentNote, Portal, SpecChange, SpecDiff } from '../portal.js';
import { CommandFailedError } from './errors.js';

/** The product, or its version, that is to be given a document. */
export interface PushedPart {
  readonly slug: string;
  /** Name of the version. */
  readonly version: string | undefined;
  readonly bytes: Buffer;
}

/** A document that was compared with the present one before anything is written. */
export interface CheckedPush {
  /** SHA-256 of the document as it is stored. */
  readonly hash: string;
  /** null where nothing was compared. */
  readonly diff: SpecDiff | null;
  /** @param change of the diff */
  readonly say: (change: SpecChange) => string;
  /** Gives the document. It fails where the one that is there was replaced meanwhile. */
  give(note: DocumentNote): Promise<GivenPush>;
}

/** What became of the document. */
export interface GivenPush {
  readonly isUnchanged: boolean;
  /** The entry of the changelog that was drafted. */
  readonly draft: { readonly id: number; readonly name: string } | null;
}

/** Checks against the database. @throws CommandFailedError for what there is not, ValidationError for the document */
export async function checkLocally(
  { services: { catalog }, config }: Portal,
  { slug, version: name, bytes }: PushedPart,
  say: CheckedPush['say'],
): Promise<CheckedPush> {
  const product = await catalog.products.findForAdmin(slug).catch(refuseMissing(`the product ${slug}`));
  const owned =
    name === undefined
      ? null
      : await catalog.versions.find(product, name).catch(refuseMissing(`the version ${name} of ${slug}`));
  const planned = await catalog.uploads.plan(product, owned?.version ?? null, { kind: 'file', bytes });
  return {
    ...{ hash: planned.spec.hash, diff: planned.diff, say },
    give: async (note) => {
      const settings = { locale: config.theme.locale };
      const { document, entry } = owned
        ? await catalog.uploads.giveVersion(owned, planned, note, settings)
        : await catalog.uploads.giveProduct(product, planned, note, settings);
      return { isUnchanged: document === null, draft: entry && { id: entry.id, name: entry.name } };
    },
  };
}

interface Answer {
  readonly document_hash: string;
  readonly document_id: number | null;
  readonly drafted_change: GivenPush['draft'];
  readonly spec_changes:
    | (Readonly<Record<ChangeLevel | 'more', number>> & {
        readonly is_complete: boolean;
        readonly changes: readonly (Omit<SpecChange, 'id' | 'message'> & {
          readonly rule: string;
          readonly text: string;
        })[];
      })
    | null;
}

/** The same over the network. @throws CommandFailedError for what there is not, PortRefusal for the rest */
export async function checkRemotely(port: AdminPort, { slug, version, bytes }: PushedPart): Promise<CheckedPush> {
  const { tagOf } = await import('../as-code/index.js');
  const params = { id: slug, ...(version !== undefined && { name: version }) };
  const [show, write] =
    version === undefined ? ['getProduct', 'setProductSpec'] : ['getProductVersion', 'setProductVersionSpec'];
  const what = version === undefined ? `the product ${slug}` : `the version ${version} of ${slug}`;
  const found = (await port.call(show, { params }).catch(refuseMissing(what))) as Readonly<Record<string, unknown>>;
  // Of the record that was compared: whoever changes it meanwhile makes the second call fail.
  const call = { params, file: bytes, ifMatch: tagOf(found) };
  const checked = (await port.call(write, { ...call, query: { dry_run: 'true' } })) as Answer;
  const texts = new Map<SpecChange, string>();
  return {
    ...{ hash: checked.document_hash, diff: diffOf(checked, texts), say: (change) => texts.get(change) ?? change.id },
    give: async ({ commit, source, reason, isConfirmed }) => {
      const said = { commit, source, reason, confirm: isConfirmed === true ? 'true' : undefined };
      const query = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
      const answer = (await port.call(write, { ...call, query: query as Record<string, string> })) as Answer;
      return { isUnchanged: answer.document_id === null, draft: answer.drafted_change };
    },
  };
}

/** @param texts is filled with what the portal says of each change */
function diffOf({ spec_changes: told }: Answer, texts: Map<SpecChange, string>): SpecDiff | null {
  if (told === null) return null;
  const { breaking, warning, info, more, is_complete: isComplete } = told;
  const changes = told.changes.map(({ rule: id, text, ...rest }) => {
    const change = { ...rest, id, message: { about: '', what: '', values: {} } };
    texts.set(change, text);
    return change;
  });
  const operations = { version: '', added: [], changed: [] };
  return { changes, counts: { breaking, warning, info }, more, isComplete, operations };
}

function refuseMissing(what: string) {
  return (cause: Error & { readonly status?: number }): never => {
    if (cause.status !== 404) throw cause;
    throw new CommandFailedError(`There is no such thing as ${what}.`, 'make it first', { cause });
  };
}
