export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
}

export type Output = NodeJS.WritableStream & { isTTY?: boolean; hasColors?: () => boolean };

/** A prompt; `flag` is always an alternative to it. */
export interface Question {
  readonly message: string;
  /** Named in the error when there is no terminal, for example `--email`. */
  readonly flag: string;
}

export interface TextQuestion extends Question {
  readonly default?: string;
  /** Runs while typing. @returns what is wrong with the answer */
  readonly validate?: (answer: string) => string | undefined;
  /** Runs after the answer, for checks that need I/O; a fault repeats the prompt. @returns what is wrong */
  readonly check?: (answer: string) => Promise<string | undefined>;
}

export interface SelectQuestion<T extends string> extends Question {
  readonly choices: readonly { readonly value: T; readonly label?: string; readonly hint?: string }[];
  readonly default?: T;
}

/** Progress of a long task. */
export interface Progress {
  /** Replaces the message next to the spinner or bar; without a terminal, prints a line. */
  message(text: string): void;
  /** Reports how much of the total is done. */
  advance(done: number, total: number): void;
}

/** Output and prompts of commands. Results go to standard output, everything else to standard error. */
export interface Ui {
  /** Whether there is a terminal to prompt on. */
  readonly isInteractive: boolean;
  readonly isJson: boolean;
  line(text?: string): void;
  heading(text: string): void;
  success(text: string): void;
  /** Rows in aligned columns; the first row is the header. */
  table(rows: readonly (readonly string[])[]): void;
  /** The machine-readable result; the only output on standard output with `--json`. */
  json(value: unknown): void;
  /** A remark, on standard error. */
  note(text: string): void;
  warn(text: string): void;
  error(text: string): void;
  /** Runs a long task: a spinner or bar on a terminal, plain lines elsewhere. */
  progress<T>(title: string, run: (progress: Progress) => Promise<T>): Promise<T>;
  /** All of standard input as text, for values that must not appear on a command line. */
  readInput(): Promise<string>;
  /** @throws UsageError without a terminal, CancelledError when the user cancels; likewise for the other prompts */
  askText(question: TextQuestion): Promise<string>;
  askPassword(question: TextQuestion): Promise<string>;
  confirm(question: Question & { readonly default?: boolean }): Promise<boolean>;
  select<T extends string>(question: SelectQuestion<T>): Promise<T>;
}
