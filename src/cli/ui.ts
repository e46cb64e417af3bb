export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
}

export type Output = NodeJS.WritableStream & { isTTY?: boolean; hasColors?: () => boolean };

/** A question; what it asks for can always be given by `flag` instead. */
export interface Question {
  readonly message: string;
  /** Named when there is no terminal to ask on, for example `--email`. */
  readonly flag: string;
}

export interface TextQuestion extends Question {
  readonly default?: string;
  /** While it is typed. @returns what is wrong with the answer */
  readonly validate?: (answer: string) => string | undefined;
  /** Once it is given, for what takes a look elsewhere; with a fault it is asked again. @returns what is wrong with it */
  readonly check?: (answer: string) => Promise<string | undefined>;
}

export interface SelectQuestion<T extends string> extends Question {
  readonly choices: readonly { readonly value: T; readonly label?: string; readonly hint?: string }[];
  readonly default?: T;
}

/** What long work tells on its way. */
export interface Progress {
  /** Replaces the message beside the spinner or bar; a line of its own without a terminal. */
  message(text: string): void;
  /** How much of the whole is done. */
  advance(done: number, total: number): void;
}

/** How commands speak. Answers go to standard output, everything about them to standard error. */
export interface Ui {
  /** Whether somebody is there to answer questions. */
  readonly isInteractive: boolean;
  readonly isJson: boolean;
  line(text?: string): void;
  heading(text: string): void;
  success(text: string): void;
  /** Rows in aligned columns; the first row is the head. */
  table(rows: readonly (readonly string[])[]): void;
  /** The machine's answer; the only thing on standard output with `--json`. */
  json(value: unknown): void;
  /** A line beside the answer, on standard error. */
  note(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Runs something long: a spinner or bar on a terminal, plain lines elsewhere. */
  progress<T>(title: string, run: (progress: Progress) => Promise<T>): Promise<T>;
  /** All of standard input as text, for what must not stand on a command line. */
  readInput(): Promise<string>;
  /** @throws UsageError without a terminal, CancelledError when the user leaves; the same for the others */
  askText(question: TextQuestion): Promise<string>;
  askPassword(question: TextQuestion): Promise<string>;
  confirm(question: Question & { readonly default?: boolean }): Promise<boolean>;
  select<T extends string>(question: SelectQuestion<T>): Promise<T>;
}
