/** What a developer has been told, and what they asked for without getting an answer. */
export class Fact<T> {
  private known: readonly T[];

  constructor(value: T) {
    this.known = [value];
  }

  /** Asked for: until an answer comes, both are possible. */
  ask(value: T): void {
    this.known = [...this.known, value];
  }

  /** Answered: this and nothing else. */
  accept(value: T): void {
    this.known = [value];
  }

  get possible(): readonly T[] {
    return this.known;
  }

  get isCertain(): boolean {
    return this.known.length === 1;
  }

  /** The last thing asked for or answered. */
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

/** One developer, whom one writer plays. */
export class Ledger {
  readonly apps = new Map<string, Fact<boolean>>();
  readonly keys: KeyFact[] = [];
  readonly exists = new Fact(false);
  readonly firstName = new Fact('Ada');
  readonly password: Fact<string>;
  accessToken = '';
  /** Whether an exchange was asked for and not answered. */
  isRefreshing = false;
  refreshToken = '';

  constructor(
    readonly email: string,
    password: string,
  ) {
    this.password = new Fact(password);
  }

  /** Apps that are certainly there and that nothing was cut off from: a cut off change holds them for a minute. */
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
