import { type CallLimits, GatewayRefusedError, type KeyProduct } from '../../gateway/index.js';
import type { ApigeeCalls, ApigeeContext } from './apigee-calls.js';
import { type ApigeeAttribute, readAttribute, withAttributes } from './marks.js';
import { fixPlace, isAppGroup, places } from './place.js';

/** Apigee's maximum for the value of an attribute is 2 048 bytes. */
const MOST_BYTES = 2_000;
/** Attributes that hold plans, of the 18 that an app may have: some 160 products on keys. */
const MOST_ATTRIBUTES = 4;
/** Characters at the end of a key that tell it from the other keys of its app. */
const TAIL = 12;
const UNITS = { second: 's', minute: 'm', hour: 'h', day: 'd', month: 'M' } as const;

/** The plan; what it allows, as `5s 1000d`; and what from which second since 1970 on, if another holds then. */
type Entry = readonly [plan: string, limits: string, until?: number, afterwards?: string];

/** Plans by product, by the end of the key. */
type Plans = ReadonlyMap<string, ReadonlyMap<string, Entry>>;

export interface PlannedApp {
  readonly developerId: string;
  readonly name: string;
  readonly record: {
    readonly attributes: readonly ApigeeAttribute[];
    readonly callbackUrl: string | null;
    readonly keys: readonly { readonly consumerKey: string }[];
  };
}

/**
 * Plans of products on keys, as JSON in attributes of the app: policies of a proxy see those when they have verified a key,
 * but not the attributes of the key itself. `examples/gateways/apigee` reads them.
 */
export class ApigeePlans {
  constructor(private readonly context: Pick<ApigeeContext, 'marks'>) {}

  /**
   * Writes the given plans of a key's products; the other ones stay. Forgets keys that the app no longer has.
   * @throws GatewayRefusedError for more plans than the attributes of an app can hold
   */
  async write(calls: ApigeeCalls, app: PlannedApp, key: string, products: readonly KeyProduct[]): Promise<void> {
    const told = products.filter(({ plan }) => plan !== undefined);
    if (told.length === 0) return;
    const { attributes, keys } = app.record;
    const kept = new Set([key, ...keys.map(({ consumerKey }) => consumerKey)].map(tailOf));
    const present = this.read(attributes);
    const plans = new Map([...present].filter(([tail]) => kept.has(tail)).map(([tail, own]) => [tail, new Map(own)]));
    const own = plans.get(tailOf(key)) ?? new Map<string, Entry>();
    for (const { product, plan, limits } of told) {
      if (plan) own.set(product, entryOf(plan, limits ?? null));
      else own.delete(product);
    }
    plans.set(tailOf(key), own);
    const next = withAttributes(attributes, this.attributesOf(plans, app.name));
    if (isSame(attributes, next)) return;
    const place = places.app(app.developerId, app.name);
    if (isAppGroup(app.developerId)) {
      // Has no attributes to replace alone: fields that are not sent are lost.
      const { callbackUrl } = app.record;
      await calls.put(
        place,
        { name: app.name, attributes: next, ...(callbackUrl && { callbackUrl }) },
        () => undefined,
      );
      return;
    }
    // Replaces all attributes, and nothing else of the app.
    await calls.post(fixPlace(place, 'attributes'), { attribute: next }, { isRepeatable: true, read: () => undefined });
  }

  /** The plans of the products of a key, by product. */
  of(attributes: readonly ApigeeAttribute[], key: string): ReadonlyMap<string, string> {
    const own = this.read(attributes).get(tailOf(key)) ?? new Map<string, Entry>();
    return new Map([...own].map(([product, [plan]]) => [product, plan]));
  }

  private names(): string[] {
    const { plans } = this.context.marks;
    return Array.from({ length: MOST_ATTRIBUTES }, (_, index) => (index === 0 ? plans : `${plans}-${index + 1}`));
  }

  private read(attributes: readonly ApigeeAttribute[]): Plans {
    const plans = new Map<string, Map<string, Entry>>();
    for (const name of this.names()) {
      for (const [tail, product, entry] of entriesIn(readAttribute({ attributes }, name))) {
        plans.set(tail, (plans.get(tail) ?? new Map<string, Entry>()).set(product, entry));
      }
    }
    return plans;
  }

  // Filled one after another; an empty value takes the attribute away.
  private attributesOf(plans: Plans, app: string): Record<string, string> {
    const texts: string[] = [];
    let current: Record<string, Record<string, Entry>> = {};
    for (const [tail, own] of plans) {
      for (const [product, entry] of own) {
        const fuller = { ...current, [tail]: { ...current[tail], [product]: entry } };
        if (Buffer.byteLength(JSON.stringify(fuller)) <= MOST_BYTES) current = fuller;
        else {
          texts.push(JSON.stringify(current));
          current = { [tail]: { [product]: entry } };
        }
      }
    }
    if (Object.keys(current).length > 0) texts.push(JSON.stringify(current));
    if (texts.length > MOST_ATTRIBUTES) {
      const detail = `app ${app} has more plans on its keys than its attributes at Apigee can hold`;
      throw new GatewayRefusedError({ detail: `${detail}. Fix: remove keys that are no longer used` });
    }
    return Object.fromEntries(this.names().map((name, index) => [name, texts[index] ?? '']));
  }
}

function tailOf(key: string): string {
  return key.slice(-TAIL);
}

function entryOf(plan: string, limits: CallLimits | null): Entry {
  const text = (calls: CallLimits['calls']) => calls.map((limit) => `${limit.calls}${UNITS[limit.per]}`).join(' ');
  if (!limits?.until) return [plan, text(limits?.calls ?? [])];
  return [plan, text(limits.calls), Math.floor(limits.until.getTime() / 1000), text(limits.afterwards)];
}

// Anybody with access to Apigee may have edited the attribute: unreadable values count as no plan.
function entriesIn(text: string | null): [tail: string, product: string, entry: Entry][] {
  const object = (value: unknown) => (typeof value === 'object' && value !== null ? Object.entries(value) : []);
  try {
    return object(JSON.parse(text ?? '{}')).flatMap(([tail, own]) =>
      object(own).flatMap(([product, entry]): [string, string, Entry][] =>
        isEntry(entry) ? [[tail, product, entry]] : [],
      ),
    );
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is Entry {
  return Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string';
}

function isSame(before: readonly ApigeeAttribute[], after: readonly ApigeeAttribute[]): boolean {
  const writeSorted = (attributes: readonly ApigeeAttribute[]) =>
    JSON.stringify(attributes.map(({ name, value }) => [name, value]).sort());
  return writeSorted(before) === writeSorted(after);
}
