import { randomUUID } from 'node:crypto';
import { fromRow, Op, type Database } from '../database/index.js';
import {
  addSeconds,
  latestEnd,
  foreignError,
  untraced,
  type Clock,
  type Encrypter,
  type Logger,
  type Tracer,
} from '../core/index.js';
import { MailRefusedError, type Mailer } from './contracts.js';
import type { MailDraft, MailTemplates } from './mail-templates.js';
import { mailRecord, mailPayloadContext, type MailState } from './outbox.js';

/** Attempts before a mail counts as undeliverable; with the delays below that takes about half a day. */
const MAX_TRIES = 10;
const FIRST_PAUSE_S = 30;
const LONGEST_PAUSE_S = 2 * 3_600;
/** Longer than an attempt may take; afterwards another process takes over the mails of a crashed one. */
const CLAIM_S = 120;
const BATCH = 20;
const AT_ONCE = 3;
/** A retry scheduled too far ahead was set before the clock went back, and would wait for that much longer. */
const whereWaiting = (now: Date) => ({
  state: 'queued' as const,
  claimedUntil: { [Op.or]: [null, { [Op.lte]: now }, { [Op.gt]: latestEnd(now, CLAIM_S) }] },
  [Op.or]: [{ dueAt: { [Op.lte]: now } }, { updatedAt: { [Op.gt]: latestEnd(now, 0) } }],
});

type QueuedMail = MailState & { readonly payload: string };

const TOO_MANY = 'too many mails to one address';
const LONGEST_ERROR = 255;

export interface DeliveryParts {
  readonly database: Database;
  readonly encrypter: Encrypter;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer?: Tracer;
  readonly mailer: Mailer;
  readonly templates: MailTemplates;
  /** Whether an unproved address may get another mail now; counts it. */
  readonly mayReach: (address: string) => Promise<boolean>;
  /** Sender of every mail. */
  readonly from: string;
}

/** Empties the outbox. Any number of replicas may do it: each mail is claimed by one, by a conditional UPDATE (R17). */
export class OutboxDelivery {
  constructor(private readonly parts: DeliveryParts) {}

  /**
   * Attempts every mail that is due.
   * @returns how many were delivered
   */
  async run(): Promise<number> {
    let delivered = 0;
    for (;;) {
      const due = await this.findDue();
      for (let start = 0; start < due.length; start += AT_ONCE) {
        const tries = due.slice(start, start + AT_ONCE).map((id) => this.attempt(id));
        for (const done of await Promise.all(tries)) if (done) delivered += 1;
      }
      if (due.length < BATCH) return delivered;
    }
  }

  private async findDue(): Promise<number[]> {
    const now = this.parts.clock.now();
    const next = { only: ['id'], order: 'm.due_at, m.id', limit: BATCH } as const;
    const rows = await mailRecord.findAll(this.parts.database, whereWaiting(now), next);
    return rows.map(({ id }) => id);
  }

  private async attempt(id: number): Promise<boolean> {
    const claim = randomUUID();
    const mail = await this.claim(id, claim);
    if (!mail) return false;
    try {
      const draft = this.draftOf(mail);
      if (!(await this.mayLeave(mail, draft))) {
        this.parts.logger.warn({ mail: id, template: mail.template }, 'a mail too many to one address is not sent');
        await this.finish(id, claim, { state: 'failed', lastError: TOO_MANY });
        return false;
      }
      await this.tell(mail, () => this.deliver(mail, draft));
    } catch (error) {
      await this.handleFailure(mail, claim, error);
      return false;
    }
    // Deleting the payload also deletes any link in it.
    await this.finish(mail.id, claim, { state: 'sent', lastError: null, payload: '' });
    return true;
  }

  private async claim(id: number, claim: string): Promise<QueuedMail | null> {
    const { database, clock } = this.parts;
    const now = clock.now();
    const held = { claim, claimedUntil: addSeconds(now, CLAIM_S), tries: fromRow('tries', 1), updatedAt: now };
    const matched = await mailRecord.update(database, { id, ...whereWaiting(now) }, held);
    return matched === 0 ? null : mailRecord.find(database, { id, claim }, { with: ['payload'] });
  }

  // Neither recipient nor content is logged (S69).
  private tell({ template, tries }: QueuedMail, deliver: () => Promise<void>): Promise<void> {
    const { tracer = untraced } = this.parts;
    const facts = { 'portal.mail.template': template, 'portal.mail.tries': tries };
    return tracer.step({ name: `mail ${template}`, kind: 'client', facts }, deliver);
  }

  private draftOf({ uuid, payload }: QueuedMail): MailDraft {
    return JSON.parse(this.parts.encrypter.decrypt(payload, mailPayloadContext(uuid))) as MailDraft;
  }

  // Counted here, where all mails pass, and not where they are caused: strangers can trigger many kinds.
  private async mayLeave({ tries }: QueuedMail, { isUnproved = false, to }: MailDraft): Promise<boolean> {
    return !isUnproved || tries > 1 || this.parts.mayReach(to);
  }

  private async deliver({ uuid }: QueuedMail, draft: MailDraft): Promise<void> {
    const { templates, mailer, from } = this.parts;
    const { to, locale, unsubscribe } = draft;
    const host = /@([^@>\s]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
    const ends = unsubscribe !== undefined && { unsubscribe };
    await mailer.send({ messageId: `${uuid}@${host}`, from, to, locale, ...ends, ...(await templates.write(draft)) });
  }

  private async handleFailure(mail: QueuedMail, claim: string, error: unknown): Promise<void> {
    const { logger, clock, database } = this.parts;
    const { id, template, tries } = mail;
    const reported = foreignError(error);
    const lastError = reported.message.slice(0, LONGEST_ERROR);
    if (error instanceof MailRefusedError || tries >= MAX_TRIES) {
      logger.error({ err: reported, mail: id, template, tries }, 'a mail could not be delivered and is given up');
      await this.finish(id, claim, { state: 'failed', lastError });
      return;
    }
    const now = clock.now();
    const pause = Math.min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (tries - 1));
    logger.warn({ err: reported, mail: id, template, tries, pause }, 'a mail was not delivered and is tried again');
    const later = { claim: null, claimedUntil: null, dueAt: addSeconds(now, pause), lastError, updatedAt: now };
    await mailRecord.update(database, { id, claim }, later);
  }

  private async finish(
    id: number,
    claim: string,
    outcome: Pick<MailState, 'state' | 'lastError'> & { readonly payload?: '' },
  ): Promise<void> {
    const { database, clock } = this.parts;
    const done = { ...outcome, claim: null, claimedUntil: null, updatedAt: clock.now() };
    await mailRecord.update(database, { id, claim }, done);
  }
}
