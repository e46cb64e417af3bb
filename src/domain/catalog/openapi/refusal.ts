/** Why a document is refused, as a sentence for the uploader. A plain error, so that it can cross threads. */
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
