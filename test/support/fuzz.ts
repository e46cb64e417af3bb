import { createHash } from 'node:crypto';
import fc from 'fast-check';

const SEED = Number(process.env.PORTAL_FUZZ_SEED ?? 20_260_101);
const FACTOR = Number(process.env.PORTAL_FUZZ_FACTOR ?? 1);

/**
 * Tries `runs` values (times `PORTAL_FUZZ_FACTOR`), for each name other ones but always the same, unless
 * `PORTAL_FUZZ_SEED` says otherwise. `attempt` says what is wrong, or null. A failure is made as small as it gets and
 * printed with the seed.
 */
export async function fuzz<T>(
  name: string,
  runs: number,
  values: fc.Arbitrary<T>,
  attempt: (value: T) => Promise<string | null>,
): Promise<void> {
  const property = fc.asyncProperty(values, async (value) => {
    const fault = await attempt(value);
    if (fault !== null) throw new Error(`PORTAL_FUZZ_SEED=${SEED}, ${name}: ${fault}`);
  });
  const seed = createHash('sha256').update(`${SEED} ${name}`).digest().readInt32BE();
  await fc.assert(property, { seed, numRuns: Math.max(1, Math.round(runs * FACTOR)) });
}
