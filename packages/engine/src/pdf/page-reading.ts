import type { PageProblem, PageSignals } from '../grade/signals.ts'
import type { ReadPage } from './page/text-layer.ts'

export interface PageReading extends ReadPage {
  readonly signals: PageSignals
  readonly problems: readonly PageProblem[]
}

/** `failed` if the page is unreadable, `partial` if content is missing or doubtful. */
export function statusOf(problems: readonly PageProblem[]): 'ok' | 'partial' | 'failed' {
  if (problems.includes('unreadable')) return 'failed'
  return problems.length > 0 ? 'partial' : 'ok'
}
