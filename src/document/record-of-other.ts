/** The store refused a commit: the present record belongs to another source. It replaced nothing. */
export class RecordOfOther extends Error {
  override name = 'RecordOfOther' as const

  constructor(source: string) {
    super(
      `the store holds a document of the same name from another source (${source}); ` +
        'give one of the sources a prefix (--prefix) in a new store, or rename the document',
    )
  }
}
