/** A mail, ready to be sent. */
export interface MailMessage {
  /** Globally unique and the same for every try, so that a receiver recognises a repeated one. */
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Of its language, for screen readers and spam filters. */
  readonly locale: string;
}

/** How mails leave the portal. The defaults send by SMTP, or write files. */
export interface Mailer {
  /**
   * Resolves once the mail has been handed over.
   * @throws MailRefusedError for a permanent refusal; any other error means: try again later
   */
  send(message: MailMessage): Promise<void>;
  /** For `portal doctor`: whether mails would be taken now. Sends none. @throws Error saying why not */
  check?(): Promise<void>;
  /** Frees connections. */
  close?(): Promise<void>;
}

/** The receiving side refused permanently, for example because the mailbox does not exist. */
export class MailRefusedError extends Error {
  override readonly name = 'MailRefusedError';
}
