import { outdatedDocuments } from '#src/ingest/document/local-documents.ts'
import type { PlanDeps } from '#src/ingest/scan/plan-source.ts'
import { pageCounting, priceWith } from './service/open-requests.ts'
import { cutterOf, recipesFor } from './settings/from-settings.ts'
import { systemClock } from './process/process-state.ts'
import { servicePrices } from './pipeline/named-services.ts'
import { openFor } from './pipeline/open-pipeline.ts'
import type { Pipeline, PipelineOptions } from './pipeline/pipeline.ts'

/** Opens a pipeline as `openPipeline` does, for `sluice plan`: counts pages, knows prices, and cannot send requests. */
export async function openPlanning(options: PipelineOptions): Promise<Pipeline & { readonly plan: PlanDeps }> {
  const { settings } = options
  const recipes = recipesFor(settings)
  const { signal } = new AbortController()
  const opened = await openFor(options, 'plan', signal)
  const { source, owner, store, ledger, parsers, resources } = opened
  return {
    ...opened,
    plan: {
      stores: { ...store, source, owner, ledger },
      run: { clock: systemClock(Date.now) },
      policy: { ...recipes(owner.prefix), cutter: cutterOf(settings) },
      parsers,
      isOutdated: await outdatedDocuments(opened, signal),
      checksum: settings.detectChanges === 'content',
      price: priceWith(false, settings),
      priceFor: servicePrices(settings, owner.prefix),
      countPages: pageCounting(false, resources),
    },
  }
}
