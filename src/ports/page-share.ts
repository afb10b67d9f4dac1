/** Share of pages that may be bought, over all documents that the workers of a pipeline route. */
export interface PageShare {
  /**
   * Counts the pages of a document and grants at most `wanted` of them. All grants stay within `share` (0 to 1) of all
   * counted pages. A retry counts the document again.
   */
  grant(pages: { readonly counted: number; readonly wanted: number; readonly share: number }): Promise<number>
}
