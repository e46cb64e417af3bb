import { defineList, type Database, type Lists, type Transaction } from '../../database/index.js';
import { ConflictError, type Clock, type EventBus, type ListPage, type ListQuery } from '../../core/index.js';
import { mailRecord, type MailOutbox, type MailState } from '../../mail/index.js';
import { UserDeletedEvent } from '../accounts/index.js';
import { MailResentEvent } from './events.js';

/** Mails of the outbox, for admins. */
export const mailList = defineList<MailState>(
  mailRecord.list({
    name: 'mails',
    sorts: ['id', 'createdAt', 'dueAt'],
    filters: ['state', 'template', 'recipient', 'createdAt', 'dueAt'],
  }),
);

interface ViewParts {
  readonly database: Database;
  readonly lists: Lists;
  readonly events: EventBus<Transaction>;
  readonly clock: Clock;
  readonly mail: Pick<MailOutbox, 'resend' | 'forget'>;
}

/** What admins see of the outbox, and may do to it: never what a mail says. */
export class OutboxView {
  constructor(private readonly parts: ViewParts) {}

  /** Removes the address of a deleted developer from mails that were sent or given up. */
  listen(): void {
    const { events, mail } = this.parts;
    events.within(UserDeletedEvent, ({ user }, transaction) => mail.forget(user.email, transaction));
  }

  list(query: ListQuery): Promise<ListPage<MailState>> {
    return this.parts.lists.run(mailList, query);
  }

  /** @throws NotFoundError */
  find(id: number): Promise<MailState> {
    return mailRecord.require(this.parts.database, { id });
  }

  /**
   * Makes a queued or failed mail due now, with all tries ahead of it.
   * @throws ConflictError for a mail whose content is gone, as that of a sent one, or that is being sent
   */
  async resend({ id, template }: MailState): Promise<MailState> {
    const { database, events, clock, mail } = this.parts;
    return database.transaction(async (transaction) => {
      if (!(await mail.resend(id, transaction))) {
        const sentence = 'The mail was sent, is being sent, or what it said is gone.';
        throw new ConflictError({ errors: { state: [sentence] } });
      }
      await events.emit(new MailResentEvent({ mail: { id, template }, occurredAt: clock.now() }), transaction);
      return mailRecord.require(database, { id }, { transaction });
    });
  }
}
