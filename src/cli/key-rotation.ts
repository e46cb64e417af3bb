import { randomBytes } from 'node:crypto';

/** A secret setting and the list of its previous values. */
export interface KeyKind {
  readonly name: 'jwt' | 'encryption';
  readonly path: string;
  readonly previousPath: string;
  /** Generates a new value. */
  make(): string;
}

export const keyKinds: readonly KeyKind[] = [
  {
    name: 'encryption',
    path: 'app.key',
    previousPath: 'app.previousKeys',
    make: () => `base64:${randomBytes(32).toString('base64')}`,
  },
  {
    name: 'jwt',
    path: 'portalApi.jwtSecret',
    previousPath: 'portalApi.jwtPreviousSecrets',
    make: () => randomBytes(48).toString('base64url'),
  },
];

/** One secret with its variables and its values before and after. */
export interface Rotation {
  readonly kind: KeyKind;
  readonly variable: string;
  readonly previousVariable: string;
  readonly current: string;
  readonly previous: readonly string[];
  readonly next: string;
}

export type Assignments = Readonly<Record<string, string>>;

/** Every replica accepts the new key before any uses it. */
export function acceptStep(rotations: readonly Rotation[]): Assignments {
  return assignments(rotations, ({ current, previous, next }) => [current, [next, ...previous]]);
}

/** The new key is used, the old one still accepted. */
export function useStep(rotations: readonly Rotation[]): Assignments {
  return assignments(rotations, ({ current, previous, next }) => [next, [current, ...previous]]);
}

/** The old key is removed. */
export function retireStep(rotations: readonly Rotation[]): Assignments {
  return assignments(rotations, ({ next }) => [next, []]);
}

function assignments(
  rotations: readonly Rotation[],
  valuesOf: (rotation: Rotation) => readonly [current: string, previous: readonly string[]],
): Assignments {
  return Object.fromEntries(
    rotations.flatMap((rotation) => {
      const [current, previous] = valuesOf(rotation);
      return [
        [rotation.variable, current],
        [rotation.previousVariable, previous.join(',')],
      ];
    }),
  );
}
