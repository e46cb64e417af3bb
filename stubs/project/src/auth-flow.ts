import {
  AuthFlow,
  ForbiddenError,
  type AuthAccount,
  type AuthContext,
  type AuthFlowParts,
  type LoginInput,
  type RequestInfo,
  type TokenPair,
} from 'portalkit';

interface ProjectRules {
  /** Developers sign in with an address of one of these domains only. Empty: everybody may. */
  readonly emailDomains: readonly string[];
}

/**
 * The login rules of this portal. Every way in comes through here: the REST API and the web pages, logging in and the
 * tokens of somebody who has just registered. What is not overridden works as in the package; the steps that can be
 * overridden are the protected methods of `AuthFlow`.
 */
export class ProjectAuthFlow extends AuthFlow {
  private readonly emailDomains: ReadonlySet<string>;

  constructor(parts: AuthFlowParts, rules: ProjectRules) {
    super(parts);
    this.emailDomains = new Set(rules.emailDomains.map((domain) => domain.toLowerCase()));
  }

  /**
   * Whoever may not sign in is told the same as after a wrong password, and as late: the answer gives away neither that
   * the account exists nor that the password was right.
   */
  protected override async findByPassword(input: LoginInput, context: AuthContext): Promise<AuthAccount | null> {
    const account = await super.findByPassword(input, context);
    return account !== null && this.isWelcome(account) ? account : null;
  }

  /** Tokens without a password: after registering. Sign-ins that exist already are not ended by a new rule. */
  override async issueForUser(account: AuthAccount, request: RequestInfo): Promise<TokenPair> {
    if (!this.isWelcome(account)) throw new ForbiddenError();
    return super.issueForUser(account, request);
  }

  /** Admins are created by other admins and are not asked. */
  private isWelcome({ context, email }: AuthAccount): boolean {
    if (context === 'admin' || this.emailDomains.size === 0) return true;
    return this.emailDomains.has(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
  }
}
