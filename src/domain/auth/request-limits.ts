import type { LimitStore } from '../../limits/index.js';
import { TooManyAttemptsError, type RequestInfo } from '../../core/index.js';
import type { LimitConfig } from './config.js';
import { mailboxKey } from './attempt-limits.js';
import { limitedNetworkOf } from './network.js';

const MINUTE = 60;
const HOUR = 3_600;
const CODES_PER_HOUR = 10;
/** A network may be a whole company, in which more than one person reads a guide. */
const ANSWERS_PER_HOUR = 20;

/** Requests that are counted whatever their outcome (S14). */
export class RequestLimits {
  constructor(
    private readonly store: LimitStore,
    private readonly config: LimitConfig,
  ) {}

  /** Login, register, forgot and reset together. @throws TooManyAttemptsError */
  async countCredentials({ ip }: RequestInfo): Promise<void> {
    const { max, window } = this.config.ip.requests;
    await this.count(`credentials:${limitedNetworkOf(ip)}`, max, window);
  }

  /** Reauthentications of signed-in accounts, per client address. @throws TooManyAttemptsError */
  async countConfirmations({ ip }: RequestInfo): Promise<void> {
    const { max, window } = this.config.ip.requests;
    await this.count(`confirmations:${limitedNetworkOf(ip)}`, max, window);
  }

  /** Refresh and logout per client address. @throws TooManyAttemptsError */
  async countTokens({ ip }: RequestInfo): Promise<void> {
    await this.count(`tokens:${limitedNetworkOf(ip)}`, this.config.refresh.perIp, MINUTE);
  }

  /** Refresh and logout per session. Only for a family taken from a genuine token. @throws TooManyAttemptsError */
  async countFamily(family: string): Promise<void> {
    await this.count(`family:${family}`, this.config.refresh.perFamily, MINUTE);
  }

  /** Requests for a mail with a link, per client address (S09). @throws TooManyAttemptsError */
  async countForgotten({ ip }: RequestInfo): Promise<void> {
    await this.count(`forgot:${limitedNetworkOf(ip)}`, this.config.forgotPassword.perIp, HOUR);
  }

  /** Codes that a developer types to come into a team; per account and per network. @throws TooManyAttemptsError */
  async countTeamCodes(userId: number, ip: string): Promise<void> {
    const { max, window } = this.config.ip.requests;
    if (ip !== '') await this.count(`team-codes-ip:${limitedNetworkOf(ip)}`, max, window);
    await this.count(`team-codes:${userId}`, CODES_PER_HOUR, HOUR);
  }

  /** Answers to whether a page was helpful, per client address. @throws TooManyAttemptsError */
  async countFeedback({ ip }: RequestInfo): Promise<void> {
    await this.count(`feedback:${limitedNetworkOf(ip)}`, ANSWERS_PER_HOUR, HOUR);
  }

  /** Whether an address may be mailed another link now, regardless of the requester; counts it (S09). */
  async mayMail(email: string): Promise<boolean> {
    const key = `link-mail:${mailboxKey(email)}`;
    return (await this.store.consume(key, this.config.forgotPassword.perAccount, HOUR)).granted;
  }

  /** Whether an unconfirmed address may be mailed anything now; counts it. */
  async mayReach(email: string): Promise<boolean> {
    const key = `unproved-mail:${mailboxKey(email)}`;
    return (await this.store.consume(key, this.config.mails.perUnprovedAddress, HOUR)).granted;
  }

  /** Mails that an account requests to an address that is not yet its own. @throws TooManyAttemptsError */
  async countAddressChange(userId: number): Promise<void> {
    await this.count(`address-change:${userId}`, this.config.forgotPassword.perAccount, HOUR);
  }

  private async count(key: string, max: number, window: number): Promise<void> {
    const outcome = await this.store.consume(key, max, window);
    if (!outcome.granted) throw new TooManyAttemptsError(outcome.retryAfter);
  }
}
