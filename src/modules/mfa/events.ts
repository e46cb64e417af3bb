import { defineEvent, eventField, type Changes, type EventActivity } from '../../core/index.js';
import { AuthEvent, type AuthFact } from '../../index.js';
import type { FactorType } from './factor.js';

/** Base of the events about an account's second factors. */
export abstract class MfaEvent extends AuthEvent {}

/** A factor was confirmed and is now required; `replaced` if it replaced one of its kind. */
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

/** The owner removed a factor. */
export class MfaFactorRemovedEvent extends defineEvent(MfaEvent, 'mfa_factor.removed', {
  fields: { factor: eventField<FactorType>() },
}) {
  readonly changes: Changes = { factor: [this.factor, null] };
}

/** New recovery codes replaced the earlier ones. */
export class MfaRecoveryCodesRenewedEvent extends defineEvent(MfaEvent, 'mfa_recovery_codes.renewed') {}

/** A recovery code was redeemed. */
export class MfaRecoveryCodeUsedEvent extends defineEvent(MfaEvent, 'mfa_recovery_code.used') {}

/** An admin or the operator removed all factors of an account. */
export class MfaFactorsResetEvent extends defineEvent(MfaEvent, 'mfa_factors.reset') {}
