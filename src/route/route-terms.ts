import type { RouteTerms } from '#src/document/route.ts'

/** The terms of a document: where pages go through several services, with their order. */
export const termsFor = (terms: RouteTerms, services: readonly string[]): RouteTerms =>
  services.length > 1 ? { ...terms, services } : terms
