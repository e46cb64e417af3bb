import { randomUUID } from 'node:crypto';
import { Fact, Ledger, type KeyFact } from './ledger.js';

const API = '/api/v1';
const KEYS_OF_AN_APP = 3;

/** The server died before it answered; the outcome is unknown. */
class CutOffError extends Error {}

export interface WriterParts {
  readonly url: string;
  readonly random: () => number;
  readonly product: string;
  /** Called after each confirmed change. */
  onAccepted(): void;
}

interface Sent {
  readonly status: number;
  // Tests read arbitrary records out of it.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly data: any;
}

/** A developer who signs up and then makes changes until the server dies. */
export class Writer {
  readonly ledger = new Ledger(`${randomUUID()}@example.com`, `first ${randomUUID()}`);
  private count = 0;
  private isOver = false;

  constructor(private readonly parts: WriterParts) {}

  /**
   * Runs until the account is deleted, the server is gone, or `stop` is called.
   * @returns whether a change was interrupted
   * @throws Error for an unexpected answer
   */
  async run(): Promise<boolean> {
    try {
      await this.register();
      while (!this.isOver) await this.pick()();
      return false;
    } catch (error) {
      if (error instanceof CutOffError) return true;
      throw error;
    }
  }

  /** Stops after the current change. */
  stop(): void {
    this.isOver = true;
  }

  private pick(): () => Promise<void> {
    const { ledger } = this;
    const [app] = ledger.usableApps();
    const key = ledger.usableKeys()[0];
    const choices: [weight: number, step: () => Promise<void>][] = [
      [2, () => this.refresh()],
      [2, () => this.rename()],
      [ledger.usableApps().length < 3 ? 4 : 1, () => this.createApp()],
      [0.3, () => this.changePassword()],
      [0.2, () => this.deleteAccount()],
    ];
    if (app) choices.push([3, () => this.createKey(app)], [1, () => this.deleteApp(app)]);
    if (key) choices.push([2, () => this.rotate(key)], [2, () => this.revoke(key)], [2, () => this.deleteKey(key)]);
    let left = this.parts.random() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, step] of choices) if ((left -= weight) < 0) return step;
    return () => this.refresh();
  }

  private async register(): Promise<void> {
    const { ledger } = this;
    const password = ledger.password.latest;
    ledger.exists.ask(true);
    const body = { first_name: 'Ada', last_name: 'L', email: ledger.email, password, password_confirmation: password };
    const { data } = await this.send('POST', '/auth/register', body, [201]);
    ledger.exists.accept(true);
    this.keepTokens(data);
  }

  private async refresh(): Promise<void> {
    this.ledger.isRefreshing = true;
    const body = { refresh_token: this.ledger.refreshToken };
    this.keepTokens((await this.send('POST', '/auth/refresh', body, [200])).data);
    this.ledger.isRefreshing = false;
  }

  private keepTokens({ access_token, refresh_token }: { access_token: string; refresh_token: string }): void {
    this.ledger.accessToken = access_token;
    this.ledger.refreshToken = refresh_token;
  }

  private async rename(): Promise<void> {
    const name = `Ada ${(this.count += 1)}`;
    this.ledger.firstName.ask(name);
    await this.send('PUT', '/me', { first_name: name }, [200]);
    this.ledger.firstName.accept(name);
  }

  private async changePassword(): Promise<void> {
    const { password } = this.ledger;
    const [present, next] = [password.latest, `next ${randomUUID()}`];
    password.ask(next);
    const body = { current_password: present, password: next, password_confirmation: next };
    await this.send('POST', '/me/password', body, [200]);
    password.accept(next);
  }

  private async createApp(): Promise<void> {
    const name = `app-${(this.count += 1)}`;
    const exists = new Fact(false);
    this.ledger.apps.set(name, exists);
    exists.ask(true);
    const { data } = await this.send('POST', '/me/apps', { name, products: [this.parts.product] }, [201]);
    exists.accept(true);
    this.keepKey(name, data.credentials[0]);
  }

  private async deleteApp(name: string): Promise<void> {
    const exists = this.ledger.apps.get(name);
    exists?.ask(false);
    this.ledger.closeKeys(({ app }) => app === name, false);
    await this.send('DELETE', `/me/apps/${name}`, undefined, [200]);
    exists?.accept(false);
    this.ledger.closeKeys(({ app }) => app === name, true);
  }

  private async createKey(app: string): Promise<void> {
    if (this.ledger.keys.filter((fact) => fact.app === app).length >= KEYS_OF_AN_APP) return this.deleteApp(app);
    const { data } = await this.send('POST', `/me/apps/${app}/credentials`, { products: [this.parts.product] }, [201]);
    this.keepKey(app, data);
  }

  private async rotate(old: KeyFact): Promise<void> {
    old.isOpen.ask(false);
    const path = `/me/apps/${old.app}/credentials/${old.id}/rotate`;
    const { data } = await this.send('POST', path, { overlap: 0 }, [201]);
    old.isOpen.accept(false);
    this.keepKey(old.app, data);
  }

  private async revoke(fact: KeyFact): Promise<void> {
    fact.isOpen.ask(false);
    await this.send('POST', `/me/apps/${fact.app}/credentials/${fact.id}/revoke`, {}, [200]);
    fact.isOpen.accept(false);
    if (this.parts.random() < 0.5) return;
    fact.isOpen.ask(true);
    await this.send('POST', `/me/apps/${fact.app}/credentials/${fact.id}/approve`, {}, [200]);
    fact.isOpen.accept(true);
  }

  private async deleteKey(fact: KeyFact): Promise<void> {
    fact.isOpen.ask(false);
    await this.send('DELETE', `/me/apps/${fact.app}/credentials/${fact.id}`, undefined, [200]);
    fact.isOpen.accept(false);
  }

  /** The last change: afterwards nothing of the developer's may work. */
  private async deleteAccount(): Promise<void> {
    const { ledger } = this;
    ledger.exists.ask(false);
    for (const exists of ledger.apps.values()) exists.ask(false);
    ledger.closeKeys(() => true, false);
    await this.send('DELETE', '/me', undefined, [200]);
    ledger.exists.accept(false);
    ledger.closeKeys(() => true, true);
    this.isOver = true;
  }

  private keepKey(app: string, { id, consumer_key: key }: { id: number; consumer_key: string }): void {
    this.ledger.keys.push({ key, app, id, isOpen: new Fact(true) });
  }

  private async send(method: string, path: string, body: object | undefined, expected: number[]): Promise<Sent> {
    const sent = await call(this.parts.url + API + path, method, body, this.ledger.accessToken);
    if (!expected.includes(sent.status)) {
      throw new Error(`${method} ${path} answered ${sent.status}: ${JSON.stringify(sent.data)}`);
    }
    this.parts.onAccepted();
    return sent;
  }
}

/** @throws CutOffError without a complete answer */
export async function call(url: string, method: string, body?: object, token = ''): Promise<Sent> {
  try {
    const response = await fetch(url, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(token !== '' && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const envelope = (await response.json()) as { data?: unknown; errors?: unknown };
    return { status: response.status, data: envelope.data ?? envelope };
  } catch (error) {
    throw new CutOffError('no answer', { cause: error });
  }
}
