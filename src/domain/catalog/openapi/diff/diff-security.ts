import { arrayOf, objectOf, type JsonObject } from '../lookup.js';
import { escapeStep, type ApiOperation } from './api-operations.js';
import type { ChangeList } from './spec-change.js';

/** Ways to sign a request, by the names of their schemes; empty for a call without any. */
type Ways = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string>>>;

function waysOf(security: unknown): Ways {
  const ways = arrayOf(security).map((way) => {
    const schemes = Object.entries(objectOf(way)).map(([name, scopes]) => {
      return [name, new Set(arrayOf(scopes).filter((scope): scope is string => typeof scope === 'string'))] as const;
    });
    const names = schemes.map(([name]) => name).sort();
    return [names.join(' + '), new Map(schemes)] as const;
  });
  return ways.length === 0 ? new Map([['', new Map()]]) : new Map(ways);
}

/** The security of the whole document, and the schemes themselves. */
export function diffGlobalSecurity(old: JsonObject, present: JsonObject, list: ChangeList): void {
  const said = { about: 'document', pointer: '/security' };
  diffWays(waysOf(old.security), waysOf(present.security), (what, values) =>
    list.add(`api-global-${what}`, null, { ...said, what, ...values }),
  );
  const [before, after] = [old, present].map((document) =>
    objectOf(document.securityDefinitions ?? objectOf(document.components).securitySchemes),
  ) as [JsonObject, JsonObject];
  const where = present.swagger === undefined ? '/components/securitySchemes' : '/securityDefinitions';
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const tell = (what: string, values = {}) =>
      list.add(`api-security-component-${what}`, null, {
        ...{ about: 'security-scheme', name, pointer: `${where}/${escapeStep(name)}`, what },
        ...values,
      });
    if (!Object.hasOwn(after, name)) tell('removed');
    else if (!Object.hasOwn(before, name)) tell('added');
    else {
      const [was, is] = [objectOf(before[name]).type, objectOf(after[name]).type];
      if (was !== is) tell('type-changed', { old: was, new: is });
      diffFlows(objectOf(before[name]).flows, objectOf(after[name]).flows, tell);
    }
  }
}

/** The security of one operation, where it says its own. */
export function diffOperationSecurity(
  old: JsonObject,
  present: JsonObject,
  before: ApiOperation,
  after: ApiOperation,
  list: ChangeList,
): void {
  if (before.raw.security === undefined && after.raw.security === undefined) return;
  const [was, is] = [waysOf(before.raw.security ?? old.security), waysOf(after.raw.security ?? present.security)];
  const said = { about: 'operation', pointer: `${after.pointer}/security` };
  diffWays(was, is, (what, values) => list.add(`api-${what}`, after, { ...said, what, ...values }));
}

function diffWays(
  old: Ways,
  present: Ways,
  tell: (what: string, values: { old?: string; new?: string }) => void,
): void {
  // Where a call needs none, it can be signed as before.
  const isOpen = present.has('');
  for (const [name, schemes] of old) {
    const after = present.get(name);
    if (!after) {
      if (!isOpen) tell('security-removed', { old: name || 'anonymous' });
      continue;
    }
    for (const [scheme, scopes] of after) {
      const earlier = schemes.get(scheme) ?? new Set<string>();
      for (const scope of scopes) if (!earlier.has(scope)) tell('security-scope-added', { new: `${scheme}: ${scope}` });
      for (const scope of earlier)
        if (!scopes.has(scope)) tell('security-scope-removed', { old: `${scheme}: ${scope}` });
    }
  }
  for (const name of present.keys()) if (!old.has(name)) tell('security-added', { new: name || 'anonymous' });
}

/** Where tokens are got, and for what. Swagger 2.0 has a single flow and is not looked into. */
function diffFlows(old: unknown, present: unknown, tell: (what: string, values?: object) => void): void {
  const [before, after] = [objectOf(old), objectOf(present)];
  for (const flow of Object.keys(before)) {
    if (!Object.hasOwn(after, flow)) continue;
    const [was, is] = [objectOf(before[flow]), objectOf(after[flow])];
    for (const [field, what] of [
      ['authorizationUrl', 'oauth-url-changed'],
      ['tokenUrl', 'oauth-token-url-changed'],
    ] as const) {
      if (was[field] !== is[field]) tell(what, { old: was[field], new: is[field] });
    }
    const [oldScopes, newScopes] = [objectOf(was.scopes), objectOf(is.scopes)];
    for (const scope of new Set([...Object.keys(oldScopes), ...Object.keys(newScopes)])) {
      if (!Object.hasOwn(newScopes, scope)) tell('oauth-scope-removed', { old: scope });
      else if (!Object.hasOwn(oldScopes, scope)) tell('oauth-scope-added', { new: scope });
      else if (oldScopes[scope] !== newScopes[scope]) tell('oauth-scope-changed', { old: scope, new: scope });
    }
  }
}
