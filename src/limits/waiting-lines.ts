/** Runs tasks with the same name one after another, in order; other names do not wait. */
export class WaitingLines {
  private readonly tails = new Map<string, Promise<unknown>>();
  private count = 0;

  /** Running and waiting. */
  get size(): number {
    return this.count;
  }

  async inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.tails.get(name) ?? Promise.resolve()).then(work);
    const tail = turn.catch(() => undefined);
    this.tails.set(name, tail);
    this.count += 1;
    try {
      return await turn;
    } finally {
      this.count -= 1;
      if (this.tails.get(name) === tail) this.tails.delete(name);
    }
  }
}
