/**
 * Route of a document: to the `service` (the embedded engine without one), to the `local` engine only, or
 * `local-first`. `local-first` sends the pages that the engine read badly to the service.
 */
export const ROUTES = ['service', 'local', 'local-first'] as const

export type Route = (typeof ROUTES)[number]

/** Thresholds at which `local-first` buys a page. */
export interface RouteTerms {
  /** Buys a page with an expected quality below this threshold, 0 to 1. */
  readonly qualityFloor: number
  /** Maximum share of all routed pages to buy, 0 to 1; the worst pages of a document come first. */
  readonly buyShare: number
  /** Maximum number of pages to buy per document; null for no limit. */
  readonly buyPages: number | null
}
