export interface SupplementOptions {
  readonly onlyMainContent: boolean
  /** Whether slides are marked where they begin. */
  readonly anchors?: boolean
}
