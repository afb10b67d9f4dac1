/** A commit was refused: the present record is of another source. Nothing was replaced. */
export class RecordOfOther extends Error {
  override name = 'RecordOfOther' as const

  constructor(source: string) {
    super(
      `the store holds a document of the same name from another source (${source}); ` +
        'give one of the sources a prefix (--prefix) in a new store, or rename the document',
    )
  }
}
