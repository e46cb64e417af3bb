import {
  AuthFlow,
  type AuthAccount,
  type AuthFlowParts,
  type LoginRefusal,
  type RegistrationCandidate,
  type RegistrationVerdict,
  type RequestInfo,
} from 'portalkit';

interface ProjectRules {
  /** Developers register and sign in with an address of one of these domains only. Empty: everybody may. */
  readonly emailDomains: readonly string[];
}

/**
 * Who may register and sign in at this portal. Every way in comes through here: the REST API and the web pages, signing in
 * and signing up, a password or an identity provider. What is not overridden works as in the package; the steps that can be
 * overridden are the methods of `AuthFlow`.
 */
export class ProjectAuthFlow extends AuthFlow {
  private readonly emailDomains: ReadonlySet<string>;

  constructor(parts: AuthFlowParts, rules: ProjectRules) {
    super(parts);
    this.emailDomains = new Set(rules.emailDomains.map((domain) => domain.toLowerCase()));
  }

  /**
   * Asked before an account is made, and before a developer changes the address: `true`, or the sentence at the e-mail field.
   * Whoever `checkAccount` would keep out is told here, not after confirming an address that signs nobody in.
   */
  override async mayRegister(candidate: RegistrationCandidate, request: RequestInfo): Promise<RegistrationVerdict> {
    if (this.isWelcome(candidate.email)) return super.mayRegister(candidate, request);
    return `Please use an e-mail address of ${JSON.stringify([...this.emailDomains].join(', '))}.`;
  }

  /**
   * What keeps an account out that has proved itself: one that was there before the rule, or that an admin made. The reason
   * `credentials` says the same as a wrong password: the answer gives away neither that the account exists nor that the
   * password was right. Sign-ins that live already are not ended by a new rule.
   */
  protected override checkAccount(account: AuthAccount): LoginRefusal | null {
    // Admins are created by other admins and are not asked.
    const isWelcome = account.context === 'admin' || this.isWelcome(account.email);
    return isWelcome ? super.checkAccount(account) : { kind: 'refused', reason: 'credentials' };
  }

  private isWelcome(email: string): boolean {
    return this.emailDomains.size === 0 || this.emailDomains.has(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
  }
}
