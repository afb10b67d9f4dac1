import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import type { AuditDeps } from '#src/ingest/audit/audit-source.ts'
import { engineTier } from './engine-tier.ts'
import type { IngestPipeline } from './pipeline.ts'
import type { Shared } from './shared.ts'

/** Both tiers of an audit: the service that the pipeline has, and the embedded engine beside it. */
export async function openAudit(
  { ingest, settings }: Pick<IngestPipeline, 'ingest' | 'settings'>,
  shared: Shared,
  signal: AbortSignal,
): Promise<AuditDeps> {
  const engine = await shared.requests({ ...settings, parseApiUrl: undefined, parseApiKey: undefined }, signal)
  const { parsers } = ingest
  // Each side of the comparison takes its own answers only, and the engine's those of its present version.
  const engineOnly = {
    ...parsers,
    acceptLocal: false,
    upgrade: true,
    upgradeOf: null,
    onlyOwn: true,
  }
  return {
    ingest: { ...ingest, parsers: { ...parsers, acceptLocal: false } },
    local: engineTier(engine, { ...engineOnly, routes: undefined }, settings),
    cutter: new PdfCutter(),
  }
}
