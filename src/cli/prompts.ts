import type { Readable, Writable } from 'node:stream';
import * as clack from '@clack/prompts';
import { CancelledError, UsageError } from './errors.js';
import type { Question, SelectQuestion, Terminal, TextQuestion, Ui } from './ui.js';

export type Prompts = Pick<Ui, 'askText' | 'askPassword' | 'confirm' | 'select'>;

/** Prompts with clack on a terminal; without one, the error names the flag to use instead. */
export function createPrompts(isInteractive: boolean, { stdin, stdout }: Terminal): Prompts {
  const place = { input: stdin as Readable, output: stdout as Writable };
  const ask = async <T>({ message, flag }: Question, prompt: () => Promise<unknown>): Promise<T> => {
    if (!isInteractive) throw new UsageError(`${flag} is required: there is no terminal to ask "${message}" on.`);
    const answer = await prompt();
    if (clack.isCancel(answer)) throw new CancelledError();
    return answer as T;
  };
  const askUntilFine = async (question: TextQuestion, prompt: () => Promise<unknown>): Promise<string> => {
    for (;;) {
      const answer = await ask<string>(question, prompt);
      const fault = await question.check?.(answer);
      if (fault === undefined) return answer;
      clack.log.error(fault, place);
    }
  };
  return {
    askText: (question) =>
      askUntilFine(question, () =>
        clack.text({
          ...place,
          message: question.message,
          defaultValue: question.default,
          placeholder: question.default,
          validate: validator(question),
        }),
      ),
    askPassword: (question) =>
      askUntilFine(question, () =>
        clack.password({ ...place, message: question.message, validate: validator(question) }),
      ),
    confirm: (question) =>
      ask<boolean>(question, () =>
        clack.confirm({ ...place, message: question.message, initialValue: question.default ?? false }),
      ),
    select: <T extends string>(question: SelectQuestion<T>) =>
      ask<T>(question, () =>
        clack.select<string>({
          ...place,
          message: question.message,
          initialValue: question.default,
          options: question.choices.map(({ value, label, hint }) => ({ value, label: label ?? value, hint })),
        }),
      ),
  };
}

// An empty answer takes the default, which is not validated.
function validator({ validate, default: fallback }: TextQuestion) {
  return (answer: string | undefined) =>
    (answer ?? '') === '' && fallback !== undefined ? undefined : validate?.(answer ?? '');
}
