/** A value as confirmed by the portal, and the requested values without an answer. */
export class Fact<T> {
  private known: readonly T[];

  constructor(value: T) {
    this.known = [value];
  }

  /** Until an answer comes, both the old and the new value are possible. */
  ask(value: T): void {
    this.known = [...this.known, value];
  }

  /** The value is confirmed. */
  accept(value: T): void {
    this.known = [value];
  }

  get possible(): readonly T[] {
    return this.known;
  }

  get isCertain(): boolean {
    return this.known.length === 1;
  }

  /** The last value requested or confirmed. */
  get latest(): T {
    return this.known[this.known.length - 1] as T;
  }
}

export interface KeyFact {
  readonly key: string;
  readonly app: string;
  readonly id: number;
  readonly isOpen: Fact<boolean>;
}

/** What one developer knows. */
export class Ledger {
  readonly apps = new Map<string, Fact<boolean>>();
  readonly keys: KeyFact[] = [];
  readonly exists = new Fact(false);
  readonly firstName = new Fact('Ada');
  readonly password: Fact<string>;
  accessToken = '';
  /** Whether a refresh is unanswered. */
  isRefreshing = false;
  refreshToken = '';

  constructor(
    readonly email: string,
    password: string,
  ) {
    this.password = new Fact(password);
  }

  /** Apps that exist for certain and without interrupted changes, which would lock them for a minute. */
  usableApps(): string[] {
    return [...this.apps].filter(([, exists]) => exists.isCertain && exists.latest).map(([name]) => name);
  }

  usableKeys(): KeyFact[] {
    const apps = this.usableApps();
    return this.keys.filter(({ app, isOpen }) => apps.includes(app) && isOpen.isCertain && isOpen.latest);
  }

  closeKeys(matches: (fact: KeyFact) => boolean, isCertain: boolean): void {
    for (const fact of this.keys.filter(matches)) {
      if (isCertain) fact.isOpen.accept(false);
      else fact.isOpen.ask(false);
    }
  }
}
