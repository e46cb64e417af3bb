/** A rendered mail, ready to be sent. */
export interface MailMessage {
  /** Globally unique and the same for every attempt, so that a receiver recognises a repeated one. */
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Its language, for screen readers and spam filters. */
  readonly locale: string;
  /** Address that takes a POST without a sign-in and ends mails like this one, for `List-Unsubscribe` (RFC 8058). */
  readonly unsubscribe?: string;
}

/** Sends mails. The default implementations use SMTP or write files. */
export interface Mailer {
  /**
   * Resolves once the mail has been handed over.
   * @throws MailRefusedError for a permanent refusal; after any other error the mail is retried
   */
  send(message: MailMessage): Promise<void>;
  /**
   * For `portal doctor`: checks whether mails would be accepted now, without sending one.
   * @throws Error with the reason if not
   */
  check?(): Promise<void>;
  /** Closes connections. */
  close?(): Promise<void>;
}

/** The receiving side refused permanently, for example because the mailbox does not exist. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
}
