import assert from 'node:assert/strict';
import {
  type AppAddress,
  type DeveloperAddress,
  GatewayConflictError,
  GatewayNotFoundError,
  GatewayUnavailableError,
  type GatewayDeveloper,
  type MovedApp,
  type MoveJournal,
} from '../index.js';
import type { GatewayCheck } from './check.js';
import type { AppWithKey, GatewayStage } from './stage.js';

/** Kept in memory. */
class StageJournal implements MoveJournal {
  isBrokenOff = false;
  private text: string | null = null;
  private count = 0;

  /** @param failsAt number of writes until one fails; if it is odd, the text is stored before the failure */
  constructor(private failsAt = Infinity) {}

  mend(): void {
    this.failsAt = Infinity;
  }

  read(): Promise<string | null> {
    return Promise.resolve(this.text);
  }

  async keep(text: string | null): Promise<void> {
    this.count += 1;
    const fails = this.count === this.failsAt;
    if (!fails || this.failsAt % 2 === 1) this.text = text;
    if (!fails) return;
    this.isBrokenOff = true;
    throw new GatewayUnavailableError(1, { detail: 'the journal of the suite breaks off' });
  }
}

/** More writes than any driver needs for two keys. */
const MOST_TIMES = 40;

function move(
  { driver }: GatewayStage,
  app: AppAddress,
  to: DeveloperAddress,
  journal = new StageJournal(),
): Promise<MovedApp | undefined> {
  assert.ok(driver.apps.move, 'a driver that moves apps has apps.move');
  return driver.apps.move(app, to, journal);
}

/** The one owner that has the app, with the same key and secret. */
async function expectOwner(
  stage: GatewayStage,
  { app, issued }: AppWithKey,
  owner: GatewayDeveloper,
  other: GatewayDeveloper,
) {
  const { driver, one } = stage;
  await driver.apps.update({ ...app, developer: owner });
  await stage.rejects(
    driver.apps.update({ ...app, developer: other }),
    GatewayNotFoundError,
    'an app of another owner',
  );
  await stage.expectKey(issued, one, true, 'of an app that was moved');
  if (!driver.capabilities.readSecret) return;
  const { consumerKey, consumerSecret } = issued;
  const shown = await driver.keys.reveal({ app: { ...app, developer: owner }, keyRef: issued.keyRef });
  assert.deepEqual({ ...shown }, { consumerKey, consumerSecret }, 'key and secret stay');
}

/** @returns whether it finished before it was interrupted */
async function moveBrokenly(
  stage: GatewayStage,
  made: AppWithKey,
  [from, to]: readonly [GatewayDeveloper, GatewayDeveloper],
  times: number,
): Promise<boolean> {
  const journal = new StageJournal(times);
  const at = (developer: GatewayDeveloper) => ({ ...made.app, developer });
  await move(stage, at(from), to, journal).catch((error: unknown) => {
    if (!journal.isBrokenOff) throw error;
  });
  journal.mend();
  // Either finish it, or undo it and do it again.
  if (times % 4 > 1) await move(stage, at(to), from, journal);
  await move(stage, at(from), to, journal);
  await expectOwner(stage, made, to, from);
  return !journal.isBrokenOff;
}

/** Apps that get another owner. */
export const moveChecks: readonly GatewayCheck[] = [
  {
    name: 'gives an app another owner with the key that it has, once and again, but not beside one of its name',
    needs: ['moveApps'],
    async run(stage) {
      const made = await stage.appWithKey(stage.ada);
      const owner = await stage.ensure(stage.bob);
      for (let round = 0; round < 2; round += 1) await move(stage, made.app, owner);
      await expectOwner(stage, made, owner, made.app.developer);
      const second = await stage.appWithKey(stage.ada);
      await stage.rejects(move(stage, second.app, owner), GatewayConflictError, 'a name that the new owner has');
      await stage.expectKey(second.issued, stage.one, true, 'of an app that was not moved');
      const missing = stage.app(made.app.developer, 'missing');
      await stage.rejects(move(stage, missing, owner), GatewayNotFoundError, 'moving what is not there');
    },
  },
  {
    name: 'moves every key as it is, closed and opened, with the state of its products',
    needs: ['moveApps', 'door', 'keyStatus', 'productsPerKey', 'productStatusPerKey'],
    async run(stage) {
      const { driver, one, two } = stage;
      const made = await stage.appWithKey(stage.ada, stage.key(one, two));
      await driver.keyProducts.setStatus(made.address, { product: two, status: 'revoked' });
      const closed = await driver.keys.issue(made.app, stage.key(one));
      await driver.keys.setStatus({ app: made.app, keyRef: closed.keyRef }, 'revoked');
      const bare = await driver.keys.issue(made.app, stage.key());
      const owner = await stage.ensure(stage.bob);
      const app = { ...made.app, developer: owner };
      await move(stage, made.app, owner);
      await expectOwner(stage, made, owner, made.app.developer);
      await stage.expectKey(made.issued, two, false, 'that was revoked before its app was moved');
      await stage.expectKey(closed, one, false, 'with a key that was revoked before its app was moved');
      await driver.keyProducts.setStatus({ app, keyRef: made.issued.keyRef }, { product: two, status: 'approved' });
      await driver.keys.setStatus({ app, keyRef: closed.keyRef }, 'approved');
      await driver.keyProducts.add({ app, keyRef: bare.keyRef }, { product: one, status: 'approved' });
      await stage.expectKey(made.issued, two, true, 'once it is approved again');
      for (const key of [closed, bare]) await stage.expectKey(key, one, true, 'once its key is opened');
      await driver.apps.setStatus(app, 'revoked');
      await move(stage, app, made.app.developer);
      await stage.expectKey(made.issued, one, false, 'of an app that was moved while it was closed');
    },
  },
  {
    name: 'moves an app to a team, to another one, and back',
    needs: ['moveApps', 'teams'],
    async run(stage) {
      const made = await stage.appWithKey(stage.ada);
      const crew = await stage.ensure({ ...stage.person('Crew'), isTeam: true });
      const others = await stage.ensure({ ...stage.person('Others'), isTeam: true });
      let present: GatewayDeveloper = made.app.developer;
      for (const next of [crew, others, made.app.developer]) {
        await move(stage, { ...made.app, developer: present }, next);
        await expectOwner(stage, made, next, present);
        present = next;
      }
    },
  },
  {
    name: 'keeps the end of a key that is moved, or says that it does not',
    needs: ['moveApps', 'expiry', 'door', 'clock'],
    async run(stage) {
      const { advance = () => undefined, now } = stage.subject;
      const expiresAt = new Date(now().getTime() + 60_000);
      const { app, issued } = await stage.appWithKey(stage.ada, { ...stage.key(stage.one), expiresAt });
      const { keepsEnds = true } = (await move(stage, app, await stage.ensure(stage.bob))) ?? {};
      advance(58);
      await stage.expectKey(issued, stage.one, true, 'before its end, with another owner');
      advance(2);
      await stage.expectKey(issued, stage.one, !keepsEnds, 'after its end, with another owner');
    },
  },
  {
    name: 'finishes or takes back a move that broke off, with what was kept',
    needs: ['moveApps'],
    async run(stage) {
      const [ada, bob] = [await stage.ensure(stage.ada), await stage.ensure(stage.bob)];
      for (let times = 1, isThrough = false; !isThrough; times += 1) {
        assert.ok(times < MOST_TIMES, 'a move comes to its end');
        const made = await stage.appWithKey(ada);
        if (stage.driver.capabilities.productsPerKey) await stage.driver.keys.issue(made.app, stage.key(stage.one));
        // There and back, interrupted in either direction.
        isThrough = await moveBrokenly(stage, made, [ada, bob], times);
        isThrough = (await moveBrokenly(stage, made, [bob, ada], times)) && isThrough;
        await stage.driver.apps.remove({ ...made.app, developer: ada });
      }
    },
  },
];
