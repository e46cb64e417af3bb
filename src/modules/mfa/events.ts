import { defineEvent, eventField, type Changes, type EventActivity } from '../../core/index.js';
import { AuthEvent, type AuthFact } from '../../index.js';
import type { FactorType } from './factor.js';

/** Something changed about the second factors of an account. */
export abstract class MfaEvent extends AuthEvent {}

/** A factor was confirmed and is asked for from now on; `replaced` when it took the place of another of its kind. */
export class MfaFactorAddedEvent extends MfaEvent {
  static override readonly activity: EventActivity<AuthEvent> = { ...AuthEvent.activity, action: 'mfa_factor.added' };

  readonly factor: FactorType;
  readonly changes: Changes;

  constructor({ factor, replaced, ...fact }: AuthFact & { readonly factor: FactorType; readonly replaced: boolean }) {
    super(fact);
    this.factor = factor;
    this.changes = { factor: [replaced ? factor : null, factor] };
  }
}

/** The owner took a factor away. */
export class MfaFactorRemovedEvent extends defineEvent(MfaEvent, 'mfa_factor.removed', {
  fields: { factor: eventField<FactorType>() },
}) {
  readonly changes: Changes = { factor: [this.factor, null] };
}

/** New recovery codes were made; the earlier ones are void. */
export class MfaRecoveryCodesRenewedEvent extends defineEvent(MfaEvent, 'mfa_recovery_codes.renewed') {}

/** A recovery code let somebody in. */
export class MfaRecoveryCodeUsedEvent extends defineEvent(MfaEvent, 'mfa_recovery_code.used') {}

/** An admin or the operator took every factor away, for somebody who lost theirs. */
export class MfaFactorsResetEvent extends defineEvent(MfaEvent, 'mfa_factors.reset') {}
