import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CreatedApp,
  GatewayApp,
  GatewayDeveloper,
  GatewayDriver,
  IssuedKey,
  KeyAddress,
  KeyPair,
  NewKey,
} from '../index.js';
import type { GatewaySubject } from './subject.js';

const LOOK_AGAIN_MS = 250;

/** An app that still knows its developer by name. */
export interface StageApp extends GatewayApp {
  readonly developer: GatewayDeveloper;
}

export interface AppWithKey {
  readonly app: StageApp;
  readonly created: CreatedApp;
  readonly issued: IssuedKey;
  readonly address: KeyAddress;
}

/** Two developers unknown to the gateway, and helpers for the checks. */
export class GatewayStage {
  readonly driver: GatewayDriver;
  readonly one: string;
  readonly two: string;
  readonly ada: GatewayDeveloper;
  readonly bob: GatewayDeveloper;
  private readonly run = randomBytes(4).toString('hex');
  private made = 0;
  private readonly known = new Map<string, GatewayDeveloper>();

  constructor(readonly subject: GatewaySubject) {
    this.driver = subject.driver;
    [this.one, this.two] = subject.products;
    this.ada = this.person('Ada');
    this.bob = this.person('Bob');
  }

  /** A fresh portal id. */
  portalId(): string {
    this.made += 1;
    return `t${this.run}${this.made}`;
  }

  person(firstName: string): GatewayDeveloper {
    const email = `${firstName.toLowerCase()}.${this.run}@portal-test.example`;
    return { id: this.portalId(), email, firstName, lastName: 'Test', status: 'active' };
  }

  /** Creates a developer; addresses them from then on as the portal would. */
  async ensure(developer: GatewayDeveloper): Promise<GatewayDeveloper> {
    const gatewayId = await this.driver.developers.ensure(developer);
    const known = { ...developer, gatewayId };
    this.known.set(developer.id, known);
    return known;
  }

  app(developer: GatewayDeveloper, name = 'checkout', portalId = this.portalId()): StageApp {
    const shown = { displayName: 'Checkout', description: 'Made by portal gateway:test.', callbackUrl: null };
    return { developer, portalId, name, ...shown, status: 'approved' };
  }

  key(...products: readonly string[]): NewKey {
    const granted = products.map((product) => ({ product, status: 'approved' as const }));
    return { portalId: this.portalId(), products: granted, expiresAt: null };
  }

  /** An app of an existing developer with a key for the first product. */
  async appWithKey(developer: GatewayDeveloper, key = this.key(this.one)): Promise<AppWithKey> {
    const app = this.app(await this.ensure(developer));
    const created = await this.driver.apps.create(app, key);
    assert.ok(created.key, 'apps.create issues the key that it was asked for');
    return { app, created, issued: created.key, address: { app, keyRef: created.key.keyRef } };
  }

  /** Waits for as long as the gateway may need. Passes if keys cannot be tried. */
  async expectKey(key: KeyPair, product: string, isOpen: boolean, when: string): Promise<void> {
    const { opens, patience = 0 } = this.subject;
    if (!opens) return;
    const end = performance.now() + patience;
    while ((await opens(key, product)) !== isOpen) {
      assert.ok(performance.now() < end, `the key ${isOpen ? 'opens' : 'does not open'} ${product} ${when}`);
      await sleep(LOOK_AGAIN_MS);
    }
  }

  async rejects(work: Promise<unknown>, type: new (...values: never[]) => Error, what: string): Promise<void> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const got =
      error === undefined
        ? 'it did not fail'
        : `it failed with ${error instanceof Error ? error.message : typeof error}`;
    assert.ok(error instanceof type, `${what} fails with ${type.name}, but ${got}`);
  }

  /** Removes the developers that were created. */
  async clear(): Promise<void> {
    for (const developer of this.known.values()) await this.driver.developers.remove(developer);
  }
}
