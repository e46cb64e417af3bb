import {
  GatewayConflictError,
  GatewayRefusedError,
  GatewayUnavailableError,
  type GatewayApp,
  type GatewayDeveloper,
  type KeyPair,
  type MoveJournal,
} from '../../../src/gateway/index.js';
import { ApigeeAnswers } from '../../../src/modules/apigee/fake/apigee-answers.js';
import { FLAVOURS, startApigee, type ApigeeUnderTest } from './support.js';

/** What a portal keeps for the driver; it survives the driver. */
class Journal implements MoveJournal {
  text: string | null = null;
  /** Called with everything that is kept. */
  onKeep: (text: string | null) => void = () => undefined;

  read = () => Promise.resolve(this.text);

  keep = (text: string | null): Promise<void> => {
    this.text = text;
    this.onKeep(text);
    return Promise.resolve();
  };
}

const person = (id: string, firstName: string): GatewayDeveloper => ({
  ...{ id, email: `${firstName.toLowerCase()}@example.com`, firstName, lastName: 'L', status: 'active' },
});
const crew: GatewayDeveloper = { ...person('7', 'Crew'), lastName: '', isTeam: true };
const grant = (product: string) => ({ product, status: 'approved' as const });

describe.each(FLAVOURS)('an app of Apigee (%s) that gets another owner', (flavour) => {
  let test: ApigeeUnderTest;
  let from: GatewayDeveloper;
  let to: GatewayDeveloper;
  let app: GatewayApp;
  let first: KeyPair;

  const start = async (options: Parameters<typeof startApigee>[1] = {}) => {
    test = await startApigee(flavour, options);
    [from, to] = [await ensured(person('1', 'Ada')), await ensured(crew)];
    app = {
      ...{ developer: from, portalId: '10', name: 'checkout', displayName: 'Checkout', description: 'Pays' },
      ...{ callbackUrl: 'https://shop.example/back', status: 'approved' },
    };
    const plan = { ...grant('gw-one'), plan: '7.31' };
    const made = await test.driver.apps.create(app, { portalId: '100', products: [plan], expiresAt: null });
    if (!made.key) throw new Error('no key');
    first = made.key;
  };
  afterEach(() => test.stop());

  const ensured = async (one: GatewayDeveloper) => {
    return { ...one, gatewayId: await test.driver.developers.ensure(one) };
  };
  const appsOf = ({ gatewayId = '' }: GatewayDeveloper) => {
    const { developers, groups } = test.fake.organization;
    return (developers.get(gatewayId ?? '') ?? groups.get((gatewayId ?? '').split(':')[1] ?? ''))?.apps;
  };
  const stored = (owner: GatewayDeveloper) => appsOf(owner)?.get('checkout');
  const move = (journal: MoveJournal, [source, target] = [from, to]) =>
    test.driver.apps.move({ ...app, developer: source }, target, journal);

  /** Everything that Apigee tells of the app but who has it and when it was made. */
  const picture = (owner: GatewayDeveloper) => {
    const found = stored(owner);
    if (!found) return null;
    const shown = new ApigeeAnswers(flavour, 'acme').app(found);
    const by = (field: string) => (a: Record<string, unknown>, b: Record<string, unknown>) =>
      String(a[field]) < String(b[field]) ? -1 : 1;
    const sorted = (list: unknown, field: string) => [...(list as Record<string, unknown>[])].sort(by(field));
    const keys = sorted(shown.credentials, 'consumerKey').map(({ issuedAt: _, ...key }) => key);
    const { name, status, callbackUrl, attributes, scopes } = shown;
    return { name, status, callbackUrl, scopes, attributes: sorted(attributes, 'name'), keys };
  };

  /** Keys of every kind, with what others wrote at Apigee. */
  async function addKeys(): Promise<void> {
    const { keys } = test.driver;
    const issue = async (portalId: string, products: readonly string[], expiresAt: Date | null = null) =>
      (await keys.issue(app, { portalId, products: products.map(grant), expiresAt })).keyRef;
    const partly = await issue('101', ['gw-one', 'gw-two']);
    await test.driver.keyProducts.setStatus({ app, keyRef: partly }, { product: 'gw-two', status: 'revoked' });
    await keys.setStatus({ app, keyRef: await issue('102', ['gw-one']) }, 'revoked');
    await issue('103', []);
    const state = stored(from);
    if (!state) throw new Error('no app');
    state.attributes = [...state.attributes, { name: 'cost-centre', value: '42' }];
    const byHand = test.fake.organization.generateKey(state, ['gw-two'], -1);
    byHand.attributes = [{ name: 'note', value: 'by hand' }];
    byHand.scopes = flavour === 'x' ? [] : ['READ'];
    byHand.products.set('gw-manual', 'pending');
  }

  it('has everything that it had, also what others wrote there', async () => {
    await start();
    await addKeys();
    const before = picture(from);
    const { appId, keepsEnds } = await move(new Journal());
    expect(picture(to)).toEqual(before);
    expect([appId, keepsEnds]).toEqual([stored(to)?.appId, flavour === 'x']);
    expect(picture(from)).toBeNull();
    const sent = test.fake.requests.length;
    expect((await move(new Journal())).appId).toBe(appId);
    expect(test.fake.requests.slice(sent).filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('has its keys opened for nothing that they did not open before, at no moment', async () => {
    await start({ addingResetsApproval: true });
    await addKeys();
    const { organization } = test.fake;
    const opens = () => {
      const keys = [...(stored(from)?.keys ?? []), ...(stored(to)?.keys ?? [])].map(({ consumerKey }) => consumerKey);
      const all = keys.flatMap((key) => ['gw-one', 'gw-two', 'gw-manual'].map((product) => [key, product] as const));
      return all.filter(([key, product]) => organization.opens(key, product)).map((pair) => pair.join());
    };
    const [before, fetched] = [opens(), globalThis.fetch];
    const seen = new Set<string>();
    globalThis.fetch = async (...request) => {
      const response = await fetched(...request);
      for (const pair of opens()) seen.add(pair);
      return response;
    };
    await move(new Journal()).finally(() => (globalThis.fetch = fetched));
    expect([[...seen].sort(), opens().sort()]).toEqual([before.sort(), before.sort()]);
  });

  it('keeps the time that its keys have left, or says that somebody else has to end them', async () => {
    await start();
    const expiresAt = new Date(test.clock.now().getTime() + 90_000);
    const { keyRef } = await test.driver.keys.issue(app, { portalId: '101', products: [grant('gw-one')], expiresAt });
    const soon = new Date(test.clock.now().getTime() + 20_000);
    const over = await test.driver.keys.issue(app, { portalId: '102', products: [grant('gw-one')], expiresAt: soon });
    test.clock.advance(30);
    await move(new Journal());
    expect(test.fake.opens(over.keyRef, 'gw-one')).toBe(false);
    test.clock.advance(59);
    expect(test.fake.opens(keyRef, 'gw-one')).toBe(true);
    test.clock.advance(1);
    expect(test.fake.opens(keyRef, 'gw-one')).toBe(flavour === 'edge');
  });

  it.each(['is down from then on', 'loses one answer'] as const)(
    'is whole with one owner wherever Apigee %s',
    async (fault) => {
      await start();
      await addKeys();
      const before = picture(from);
      let isOver = false;
      for (let skip = 0; !isOver; skip += 1) {
        const journal = new Journal();
        const isDown = fault === 'is down from then on';
        test.fake.fail(
          isDown
            ? { kind: 'status', status: 503, times: Infinity, skip }
            : { kind: 'reset', applied: true, times: 3, skip },
        );
        const sent = test.fake.requests.length;
        const failed = await move(journal).then(
          () => null,
          (error: unknown) => error,
        );
        isOver = test.fake.requests.length - sent <= skip;
        test.fake.mend();
        // The circuit breaker tries again.
        test.clock.advance(61);
        if (failed !== null) expect(failed).toBeInstanceOf(Error);
        const [target, other] = skip % 3 === 0 ? [from, to] : [to, from];
        await move(journal, [other, target]);
        expect([picture(target), picture(other)]).toEqual([before, null]);
        expect(journal.text).toBeNull();
        if (target === to) await move(new Journal(), [to, from]);
      }
      // Half of the second round is about keys.
      expect(test.fake.requests.length).toBeGreaterThan(500);
    },
  );

  it('does not get back a key that somebody deleted at Apigee meanwhile, and loses none of the others', async () => {
    await start();
    await addKeys();
    const journal = new Journal();
    const { organization } = test.fake;
    let gone = '';
    journal.onKeep = (text) => {
      const last = stored(from)?.keys.at(-1);
      if (text === null || gone !== '' || !last) return;
      gone = last.consumerKey;
      const state = stored(from);
      if (state) organization.removeKey(state, last);
    };
    const keys = stored(from)?.keys.map(({ consumerKey }) => consumerKey) ?? [];
    await move(journal);
    expect(stored(to)?.keys.map(({ consumerKey }) => consumerKey)).toEqual(keys.filter((one) => one !== gone));
    expect(gone).not.toBe('');
  });

  it.each(['the new owner', 'the app of the old owner', 'the app of the new owner'])(
    'has its key also when somebody deletes %s at Apigee while the key is away',
    async (what) => {
      await start();
      const journal = new Journal();
      const { organization } = test.fake;
      journal.onKeep = (text) => {
        const [source, target] = [organization.developer('ada@example.com'), organization.groups.values().next().value];
        if (text === null || !target) return;
        journal.onKeep = () => undefined;
        const state = stored(from);
        if (!state) return;
        organization.removeKey(state, organization.key(state, first.consumerKey));
        if (what === 'the new owner') organization.removeGroup(target);
        if (what === 'the app of the old owner') organization.removeApp(source, state);
        if (what === 'the app of the new owner') organization.removeApp(target, organization.app(target, 'checkout'));
      };
      const isLost = what !== 'the app of the old owner';
      const attempt = move(journal);
      if (isLost) await expect(attempt).rejects.toBeInstanceOf(GatewayUnavailableError);
      else await attempt;
      // As the portal does before every attempt.
      await ensured(to);
      await move(journal);
      expect(
        await test.driver.keys.reveal({ app: { ...app, developer: to }, keyRef: first.consumerKey }),
      ).toMatchObject({
        consumerSecret: first.consumerSecret,
      });
      expect([test.fake.opens(first.consumerKey, 'gw-one'), stored(from)]).toEqual([true, undefined]);
    },
  );

  it('waits for a key that Apigee has not let go of, and keeps its secret until then', async () => {
    await start();
    const journal = new Journal();
    test.fake.fail({ kind: 'status', status: 409, method: 'POST', path: /keys(\/create)?$/ });
    await expect(move(journal)).rejects.toBeInstanceOf(GatewayUnavailableError);
    expect(journal.text).toContain(first.consumerSecret);
    await move(journal);
    expect([journal.text, test.fake.opens(first.consumerKey, 'gw-one')]).toEqual([null, true]);
  });

  it('stays where it is when the new owner has one of its name, or a key could not be made again', async () => {
    await start();
    const { organization } = test.fake;
    const [group] = organization.groups.values();
    if (!group) throw new Error('no group');
    const other = { name: 'checkout', callbackUrl: undefined, attributes: [], scopes: [] };
    const foreign = organization.addApp(group, other);
    const [before, journal] = [picture(from), new Journal()];
    await expect(move(journal)).rejects.toBeInstanceOf(GatewayConflictError);
    expect([picture(from), stored(to)]).toEqual([before, foreign]);
    organization.removeApp(group, foreign);
    const state = stored(from);
    if (state) organization.addKey(state, { consumerKey: 'k'.repeat(20), consumerSecret: '' }, -1);
    const kept = jest.spyOn(journal, 'keep');
    await expect(move(journal)).rejects.toBeInstanceOf(GatewayRefusedError);
    expect([stored(to), kept.mock.calls]).toEqual([undefined, []]);
  });

  it('moves in an organization that wants products, and leaves no key that Apigee made', async () => {
    await start({ productsRequired: true });
    await move(new Journal());
    expect(stored(to)?.keys.map(({ consumerKey }) => consumerKey)).toEqual([first.consumerKey]);
    expect(test.fake.opens(first.consumerKey, 'gw-one')).toBe(true);
  });
});
