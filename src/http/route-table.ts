import type { Route } from './route.js';

type Method = Route['method'];

/** The matching route, or what else is known about the path. */
export type RouteFinding<T> =
  | { readonly kind: 'found'; readonly target: T; readonly params: Record<string, string> }
  /** The methods that the path supports, in order of declaration. */
  | { readonly kind: 'other-method'; readonly methods: readonly Method[] }
  | { readonly kind: 'nothing' };

interface Entry<T> {
  readonly target: T;
  /** Parameter names in the order of the path. */
  readonly names: readonly string[];
}

/** The possible continuations of a path prefix. */
interface Place<T> {
  readonly literals: Map<string, Place<T>>;
  parameter: Place<T> | undefined;
  /** The routes that end here. */
  readonly entries: Map<Method, Entry<T>>;
}

const NOTHING = { kind: 'nothing' } as const;

/**
 * Finds the declared route of a path, segment by segment, so that a request costs the same whether there are ten routes
 * or a thousand. Matches as Express does: letter case counts, a slash at the end does not, parameters are one segment and
 * decoded. Where a word and a parameter fit, the word goes first, so that `/apps/create` is not an app's name.
 */
export class RouteTable<T> {
  private readonly root: Place<T> = makePlace();

  /**
   * @param path with `:name` for parameters.
   * @returns false if the same method and shape already exists
   */
  add(method: Method, path: string, target: T): boolean {
    const names: string[] = [];
    let place = this.root;
    for (const segment of segmentsOf(path)) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1));
        place = place.parameter ??= makePlace();
      } else {
        place = literal(place, segment);
      }
    }
    if (place.entries.has(method)) return false;
    place.entries.set(method, { target, names });
    return true;
  }

  /** @throws URIError for a parameter that cannot be decoded (`/%zz`) */
  find(method: string, path: string): RouteFinding<T> {
    const wanted = (method === 'HEAD' ? 'get' : method.toLowerCase()) as Method;
    const methods: Method[] = [];
    const found = search(this.root, segmentsOf(path), 0, [], (place, values) => {
      const decoded = values.map(decodeURIComponent);
      const entry = place.entries.get(wanted);
      if (!entry) methods.push(...[...place.entries.keys()].filter((other) => !methods.includes(other)));
      return entry && { kind: 'found' as const, target: entry.target, params: paramsOf(entry.names, decoded) };
    });
    return found ?? (methods.length > 0 ? { kind: 'other-method', methods } : NOTHING);
  }
}

function makePlace<T>(): Place<T> {
  return { literals: new Map(), parameter: undefined, entries: new Map() };
}

function literal<T>(place: Place<T>, segment: string): Place<T> {
  const known = place.literals.get(segment);
  if (known) return known;
  const next = makePlace<T>();
  place.literals.set(segment, next);
  return next;
}

function segmentsOf(path: string): string[] {
  return (path.length > 1 && path.endsWith('/') ? path.slice(1, -1) : path.slice(1)).split('/');
}

function search<T, Result>(
  place: Place<T>,
  segments: readonly string[],
  depth: number,
  values: readonly string[],
  accept: (place: Place<T>, values: readonly string[]) => Result | undefined,
): Result | undefined {
  const segment = segments[depth];
  if (segment === undefined) return place.entries.size > 0 ? accept(place, values) : undefined;
  const next = place.literals.get(segment);
  const found = next && search(next, segments, depth + 1, values, accept);
  if (found || !place.parameter || segment === '') return found;
  return search(place.parameter, segments, depth + 1, [...values, segment], accept);
}

function paramsOf(names: readonly string[], values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {};
  names.forEach((name, index) => {
    params[name] = values[index] ?? '';
  });
  return params;
}
