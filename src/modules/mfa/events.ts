import { AuthEvent, type AuthFact } from '../../index.js';
import type { FactorType } from './factor.js';

/** Something changed about the second factors of an account. */
export abstract class MfaEvent extends AuthEvent {}

/** A factor was confirmed and is asked for from now on; `replaced` when it took the place of another of its kind. */
export class MfaFactorAddedEvent extends MfaEvent {
  readonly factor: FactorType;
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>>;

  constructor({ factor, replaced, ...fact }: AuthFact & { readonly factor: FactorType; readonly replaced: boolean }) {
    super(fact);
    this.factor = factor;
    this.changes = { factor: [replaced ? factor : null, factor] };
  }
}

/** The owner took a factor away. */
export class MfaFactorRemovedEvent extends MfaEvent {
  readonly factor: FactorType;
  readonly changes: Readonly<Record<string, readonly [unknown, unknown]>>;

  constructor({ factor, ...fact }: AuthFact & { readonly factor: FactorType }) {
    super(fact);
    this.factor = factor;
    this.changes = { factor: [factor, null] };
  }
}

/** New recovery codes were made; the earlier ones are void. */
export class MfaRecoveryCodesRenewedEvent extends MfaEvent {}

/** A recovery code let somebody in. */
export class MfaRecoveryCodeUsedEvent extends MfaEvent {}

/** An admin or the operator took every factor away, for somebody who lost theirs. */
export class MfaFactorsResetEvent extends MfaEvent {}
