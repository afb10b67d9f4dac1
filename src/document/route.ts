/**
 * Where a document is parsed: at the `service` (the embedded engine where none is set), in the `local` engine only, or
 * `local-first`: in the engine, and then at the service for the pages that the engine read badly.
 */
export const ROUTES = ['service', 'local', 'local-first'] as const

export type Route = (typeof ROUTES)[number]

/** When `local-first` buys a page. */
export interface RouteTerms {
  /** A page whose expected quality, 0 to 1, is lower is bought. */
  readonly qualityFloor: number
  /** Share of all pages routed, 0 to 1, that is bought at the most; the worst pages of a document come first. */
  readonly buyShare: number
  /** Pages of one document that are bought at the most; null for no limit. */
  readonly buyPages: number | null
}
