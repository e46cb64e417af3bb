import type { CatalogServices, ProductRecord, SpecFacts, Viewer } from '../../domain/catalog/index.js';

/** Number of the hues that `portal.css` knows as `.hue-0` and so on. */
const HUES = 10;

/** What an API is about, read from its slug, and paths of an icon for it, on 24 × 24. */
const ICONS: readonly (readonly [RegExp, string])[] = [
  [/card|issuing/, 'M3 6.5h18v11H3zM3 10h18M7 14.5h3'],
  [/pay|transfer|refund|remit|collect|checkout/, 'M4 8.5h14l-3.5-3.5M20 15.5H6l3.5 3.5'],
  [/rate|exchange|currenc|fx|price|market|trade|invest/, 'M3 17l6-6 4 4 8-8M15 7h6v6'],
  [/account|bank|balance|deposit|loan|mortgage/, 'M3 9.5 12 4l9 5.5M5 10v8M10 10v8M14 10v8M19 10v8M3 20.5h18'],
  [/auth|token|oauth|identit|login|sso|consent/, 'M8 15.5a4 4 0 1 1 3.5-6H21v4h-3v3h-3v-3h-3.5A4 4 0 0 1 8 15.5z'],
  [
    /user|customer|people|kyc|contact|member|employee/,
    'M12 11.5a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5a7.5 7.5 0 0 1 15 0',
  ],
  [/mail|message|sms|notif|chat|email|event|webhook/, 'M3.5 5.5h17v11h-9l-5 4v-4h-3z'],
  [/doc|statement|report|file|invoice|bill|tax/, 'M6 3.5h8l4 4v13H6zM14 3.5v4h4M9 12h6M9 16h6'],
  [
    /map|location|geo|branch|atm|place|address/,
    'M12 21c4.5-5 7-8.5 7-11.5a7 7 0 1 0-14 0C5 12.5 7.5 16 12 21zM12 12a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
  ],
  [/order|shop|cart|product|catalog|store|inventor/, 'M5 8h14l1 12.5H4zM8.5 8V7a3.5 3.5 0 0 1 7 0v1'],
  [/weather|cloud|sky|forecast|climate/, 'M7 18.5a4 4 0 0 1-.3-8 5.5 5.5 0 0 1 10.6 1.2A3.5 3.5 0 0 1 17 18.5z'],
  [/fraud|risk|secur|shield|compliance|insur/, 'M12 3.5 5 6v5.5c0 4.5 3 7.5 7 9 4-1.5 7-4.5 7-9V6zM9 12l2 2 4-4'],
];
/** For all others. */
const SHAPES = [
  'M12 3.5 20 8v8l-8 4.5L4 16V8zM4 8l8 4.5L20 8M12 12.5v8',
  'M4 4.5h6.5V11H4zM13.5 4.5H20V11h-6.5zM4 14h6.5v6.5H4zM13.5 14H20v6.5h-6.5z',
  'm8 7-5 5 5 5M16 7l5 5-5 5M13.5 4.5l-3 15',
  'M12 4.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zM4.5 12h15M12 4.5c3.5 4 3.5 11 0 15M12 4.5c-3.5 4-3.5 11 0 15',
  'M5 12a2 2 0 1 0 0-.01M19 6a2 2 0 1 0 0-.01M19 18a2 2 0 1 0 0-.01M7 11l10-4.5M7 13l10 4.5',
  'M13 3 5 13.5h6L10.5 21 19 10.5h-6z',
];

/** Products as cards show them. */
export type ProductCard = ProductRecord & { readonly facts: SpecFacts | null };

export function readCards(
  { products }: Pick<CatalogServices, 'products'>,
  records: readonly ProductRecord[],
  viewer: Viewer,
): Promise<ProductCard[]> {
  return Promise.all(
    records.map(async (product) => ({ ...product, facts: await products.readFacts(product, viewer) })),
  );
}

/** The hue and the icon of an API, always the same for its slug. */
export function productMark(slug: string) {
  let sum = 7;
  for (const character of slug) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003;
  const [, icon] = ICONS.find(([words]) => words.test(slug)) ?? [null, SHAPES[sum % SHAPES.length] ?? ''];
  return { hue: sum % HUES, icon };
}
