import { AuthFlow, type AuthAccount, type AuthFlowParts, type LoginRefusal } from 'portalkit';

interface ProjectRules {
  /** Developers sign in with an address of one of these domains only. Empty: everybody may. */
  readonly emailDomains: readonly string[];
}

/**
 * The login rules of this portal. Every way in comes through here: the REST API and the web pages, signing in and signing
 * up, a password or an identity provider. What is not overridden works as in the package; the steps that can be overridden
 * are the protected methods of `AuthFlow`.
 */
export class ProjectAuthFlow extends AuthFlow {
  private readonly emailDomains: ReadonlySet<string>;

  constructor(parts: AuthFlowParts, rules: ProjectRules) {
    super(parts);
    this.emailDomains = new Set(rules.emailDomains.map((domain) => domain.toLowerCase()));
  }

  /**
   * What keeps an account out that has proved itself. The reason `credentials` says the same as a wrong password: the
   * answer gives away neither that the account exists nor that the password was right. Sign-ins that live already are not
   * ended by a new rule.
   */
  protected override checkAccount(account: AuthAccount): LoginRefusal | null {
    return this.isWelcome(account) ? super.checkAccount(account) : { kind: 'refused', reason: 'credentials' };
  }

  /** Admins are created by other admins and are not asked. */
  private isWelcome({ context, email }: AuthAccount): boolean {
    if (context === 'admin' || this.emailDomains.size === 0) return true;
    return this.emailDomains.has(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
  }
}
