/** Why a document is not taken, as a sentence for the person who uploads it. Plain, so that it can cross a thread. */
export class SpecRefusal extends Error {
  override readonly name = 'SpecRefusal';

  /** @param field of the request that is to blame */
  constructor(
    message: string,
    readonly field: string = 'spec',
  ) {
    super(message);
  }
}
