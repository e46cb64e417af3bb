import * as clack from '@clack/prompts';
import { CancelledError, UsageError } from './errors.js';
import type { Question, SelectQuestion, TextQuestion, Ui } from './ui.js';

export type Prompts = Pick<Ui, 'askText' | 'askPassword' | 'confirm' | 'select'>;

/** Questions over clack, for somebody at a terminal; without one the flag that answers is named instead. */
export function createPrompts(isInteractive: boolean): Prompts {
  const ask = async <T>({ message, flag }: Question, prompt: () => Promise<unknown>): Promise<T> => {
    if (!isInteractive) throw new UsageError(`${flag} is required: there is no terminal to ask "${message}" on.`);
    const answer = await prompt();
    if (clack.isCancel(answer)) throw new CancelledError();
    return answer as T;
  };
  return {
    askText: (question) =>
      ask<string>(question, () =>
        clack.text({
          message: question.message,
          defaultValue: question.default,
          placeholder: question.default,
          validate: validator(question),
        }),
      ),
    askPassword: (question) =>
      ask<string>(question, () => clack.password({ message: question.message, validate: validator(question) })),
    confirm: (question) =>
      ask<boolean>(question, () =>
        clack.confirm({ message: question.message, initialValue: question.default ?? false }),
      ),
    select: <T extends string>(question: SelectQuestion<T>) =>
      ask<T>(question, () =>
        clack.select<string>({
          message: question.message,
          initialValue: question.default,
          options: question.choices.map(({ value, label, hint }) => ({ value, label: label ?? value, hint })),
        }),
      ),
  };
}

// An empty answer takes the default, which needs no check.
function validator({ validate, default: fallback }: TextQuestion) {
  return (answer: string | undefined) =>
    (answer ?? '') === '' && fallback !== undefined ? undefined : validate?.(answer ?? '');
}
