import { PdfCutter } from '#src/cut/pdf-cutter.ts'
import { ENGINE_VERSION } from '#src/engine/version.ts'
import type { AuditDeps } from '#src/ingest/audit/audit-source.ts'
import type { IngestPipeline } from './pipeline.ts'
import type { Shared } from './shared.ts'

/** Both tiers of an audit: the service that the pipeline has, and the embedded engine beside it. */
export async function openAudit(
  { ingest, settings }: Pick<IngestPipeline, 'ingest' | 'settings'>,
  shared: Shared,
  signal: AbortSignal,
): Promise<AuditDeps> {
  const { parser, gate } = await shared.requests(
    { ...settings, parseApiUrl: undefined, parseApiKey: undefined },
    signal,
  )
  const identity = { class: 'embedded', origin: 'engine', version: ENGINE_VERSION } as const
  return {
    // What the embedded engine did is one side of the comparison, and never an answer of the service.
    ingest: { ...ingest, parsers: { ...ingest.parsers, acceptLocal: false } },
    local: { parser, gate, identity },
    cutter: new PdfCutter(),
  }
}
