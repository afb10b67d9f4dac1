import { Random } from '../../support/random.ts'
import { type Kind, markOf } from '../world/archive.ts'

/** A kind that the service knows, a copy of a good document, plain text, or no document. */
export type DrawnKind = Kind | 'copy' | 'text' | 'other'

export interface DrawnDocument {
  readonly name: string
  readonly kind: DrawnKind
  readonly text: string
}

export interface DrawnPipeline {
  /** Null: the one of the command line. */
  readonly name: string | null
  /** Written one after the other, a strike between them. */
  readonly waves: readonly (readonly DrawnDocument[])[]
}

export interface DrawnRun {
  readonly pipelines: readonly DrawnPipeline[]
  /** The first one lists the sources. */
  readonly processes: readonly ['watch' | 'run', ...(readonly 'work'[])]
  readonly concurrency: number
  /** Credits for each pipeline; null: as many as it takes. */
  readonly cap: number | null
  /** Between the waves: what happens to which process, which is started again at the same port. */
  readonly strike: { readonly kind: 'SIGKILL' | 'SIGTERM'; readonly process: number } | null
}

/** The credits that the service asks for each document. */
export const CREDITS = 3

/** `polls`: a source whose changes a watch would see only by listing it again. */
export function drawRun(seed: number, polls: boolean): DrawnRun {
  const random = new Random(seed)
  const isRun = polls || random.chance(0.25)
  const workers = random.below(4)
  // A run takes one pipeline after the other: one that is held would keep the next from its start.
  const count = !isRun && random.chance(0.4) ? 2 + random.below(2) : 1
  // A watch that is out of credits goes on and is scraped; a run ends.
  const cap = !isRun && random.chance(0.3) ? CREDITS * (1 + random.below(6)) : null
  const struck = isRun ? (workers === 0 ? null : 1 + random.below(workers)) : random.below(workers + 1)
  const strike = random.chance(0.5) && struck !== null ? { kind: random.pick(SIGNALS), process: struck } : null
  const waves = isRun || strike === null ? 1 : 2
  const pipelines = Array.from({ length: count }, (_, at) => {
    const name = count > 1 || random.chance(0.3) ? `p${at}` : null
    // One that is never answered keeps a run from its end, and gives gauges something to show.
    const isHeld = isRun || random.chance(0.4)
    return { name, waves: [0, 1].slice(0, waves).map((wave) => drawWave(random, `${at}`, wave, isHeld)) }
  })
  const named = pipelines.map((one, at) => (count === 1 ? one : { ...one, name: `p${at}` }))
  const processes = [isRun ? 'run' : 'watch', ...Array.from({ length: workers }, () => 'work' as const)] as const
  return { pipelines: named, processes, concurrency: 2 + random.below(8), cap, strike }
}

const SIGNALS = ['SIGKILL', 'SIGTERM'] as const

function drawWave(random: Random, pipeline: string, wave: number, isHeld: boolean): readonly DrawnDocument[] {
  const documents: DrawnDocument[] = []
  const add = (kind: DrawnKind, text: string): void => {
    const ending = kind === 'text' ? 'md' : kind === 'other' ? 'xyz' : 'html'
    documents.push({ name: `${kind}-${wave}-${documents.length}.${ending}`, kind, text })
  }
  const textOf = (kind: Kind, at: number): string => markOf(kind, `pipeline ${pipeline} wave ${wave} number ${at}`)
  // Outages and refusals take seconds each.
  const faults = { refused: random.below(4), unavailable: random.chance(0.3) ? 1 : 0 }
  for (let at = 4 + random.below(16); at > 0; at -= 1) add('good', textOf('good', at))
  for (const kind of ['slow', 'rejected', 'text', 'other'] as const) {
    const mark = kind === 'text' || kind === 'other' ? 'good' : kind
    for (let at = random.below(4); at > 0; at -= 1) add(kind, textOf(mark, 100 + at))
  }
  for (const kind of ['refused', 'unavailable'] as const) {
    for (let at = faults[kind]; at > 0; at -= 1) add(kind, textOf(kind, at))
  }
  for (let at = random.below(3); at > 0; at -= 1) add('copy', textOf('good', at))
  if (isHeld && wave === 0) add('held', textOf('held', 0))
  return documents
}
