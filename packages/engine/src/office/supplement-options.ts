export interface SupplementOptions {
  readonly onlyMainContent: boolean
  /** True if a mark precedes each slide. */
  readonly anchors?: boolean
}
