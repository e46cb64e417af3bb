/** One promise of a contract: a sentence, and a check that rejects if the promise is broken. */
export interface ContractCheck {
  readonly name: string;
  run(): Promise<void>;
}

/** The functions that Jest, Vitest, Mocha and Node's own runner have in common. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

/** Declares one test per promise with a test runner's functions. */
export function describeContract(name: string, checks: readonly ContractCheck[], { describe, it }: TestRunner): void {
  describe(name, () => {
    for (const { name: promise, run } of checks) it(promise, () => run());
  });
}

/** Checks a contract without a test runner. @throws AggregateError with all broken promises */
export async function assertContract(name: string, checks: readonly ContractCheck[]): Promise<void> {
  const broken: Error[] = [];
  for (const { name: promise, run } of checks) {
    try {
      await run();
    } catch (cause) {
      broken.push(new Error(`${name}: ${promise}`, { cause }));
    }
  }
  if (broken.length > 0) throw new AggregateError(broken, broken.map(({ message }) => message).join('\n'));
}
