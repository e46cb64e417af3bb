/** `work` took longer than it may. */
class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/**
 * What `work` comes to, if that is in time. Work that comes too late is nobody's any more, its failure included.
 * @throws TimeLimitError
 */
export async function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    const giveUp = () => reject(new TimeLimitError(`no answer within ${milliseconds} ms`));
    // A process that was busy itself finds the timer due before it has read its sockets: one round of reading first.
    timer = setTimeout(() => setImmediate(() => setImmediate(giveUp)), milliseconds);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
