/** `work` exceeded its time limit. */
class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/**
 * The result of `work`, if it comes in time; a later result or failure is ignored.
 * @throws TimeLimitError
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new TimeLimitError(`no answer within ${milliseconds} ms`));
    // After a busy period the timer fires before pending sockets are read, so allow one round of reading first.
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), milliseconds);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
