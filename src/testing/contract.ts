/** One promise of a contract: its sentence, and a check that rejects when it is broken. */
export interface ContractCheck {
  readonly name: string;
  run(): Promise<void>;
}

/** What Jest, Vitest, Mocha and Node's own runner have in common. */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  it(name: string, run: () => Promise<void>): unknown;
}

/** Declares one test for each promise, with the functions of the test runner at hand. */
export function describeContract(name: string, checks: readonly ContractCheck[], { describe, it }: TestRunner): void {
  describe(name, () => {
    for (const { name: promise, run } of checks) it(promise, () => run());
  });
}

/** The same without a test runner. @throws AggregateError with every broken promise */
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
