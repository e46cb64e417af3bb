const PLANS = [
  {
    plan: { slug: 'free', name: 'Free', short_description: 'To try it out.', price: '0 €', position: 1 },
    limits: { quota_per_month: 1_000 },
  },
  {
    plan: {
      slug: 'partner',
      name: 'Partner',
      short_description: 'For what others rely on.',
      price: '90 € a month',
      position: 2,
    },
    limits: { rate_per_second: 50, quota_per_day: 50_000 },
  },
];
const WATCH = { name: 'price-watch', display_name: 'Price watch', description: 'Compares the rates of six shops.' };
const DESK = {
  name: 'treasury-desk',
  display_name: 'Treasury desk',
  description: 'Shows positions of the day in euros.',
};
/** Of the thousand in a month. */
const WATCHED = 780;
const AT_ONCE = 20;
const PAUSE_MS = 2_000;
const PATHS = ['/currencies', '/rates/EUR-USD', '/rates/CHF-EUR', '/rates/EUR-KWD/history?days=7', '/rates/EUR-XXX'];
/** One call in so many comes without a key. */
const KEYLESS = 12;

/** As an admin: plans of the product, the first of which is what new keys get. */
export async function offerPlans(client, product) {
  for (const { plan, limits } of PLANS) await client.createPlan(plan, limits);
  await client.offerPlans(
    product,
    PLANS.map(({ plan }) => plan.slug),
  );
}

/**
 * As two developers: an app that has used 78 % of its plan, by calls that were really made, and one that goes on calling.
 * @returns the key of the latter
 */
export async function createCallers(client, [, watcher, trader], { product, sample }) {
  await client.login(watcher.email, watcher.password);
  const watch = await client.createApp({ ...WATCH, products: [product] });
  for (let made = 0; made < WATCHED; made += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => call(sample, '/rates/EUR-USD', watch.key)));
  }
  await client.login(trader.email, trader.password);
  const desk = await client.createApp({ ...DESK, products: [{ slug: product, plan: 'partner' }] });
  return desk.key;
}

/** Calls as an app would. @returns {() => void} stops it */
export function keepCalling(sample, key) {
  let made = 0;
  const timer = setInterval(() => {
    made += 1;
    const path = PATHS[Math.floor(Math.random() * PATHS.length)];
    // The demo may be ending.
    call(sample, path, made % KEYLESS === 0 ? undefined : key).catch(() => undefined);
  }, PAUSE_MS);
  timer.unref();
  return () => clearInterval(timer);
}

async function call(sample, path, key) {
  const headers = key ? { 'X-API-Key': key } : {};
  const response = await fetch(sample + path, { headers, signal: AbortSignal.timeout(10_000) });
  await response.arrayBuffer();
}
