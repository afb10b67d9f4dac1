/** The share of pages that may be bought, over all documents that the workers of a pipeline route. */
export interface PageShare {
  /**
   * Counts the pages of a document and grants at most `wanted` of them: those bought so far, these included, stay within
   * `share` (0 to 1) of all pages counted. A document that is tried again counts again.
   */
  grant(pages: { readonly counted: number; readonly wanted: number; readonly share: number }): Promise<number>
}
