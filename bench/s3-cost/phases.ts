/** Requests by phase: `<METHOD> <what of>`. */
export type Counts = ReadonlyMap<string, number>

/** What the names of the bench's buckets begin with. */
export const SOURCE = 'in'
export const STORE = 'out'

/** What a request is about, from its address in path style. */
export function phaseOf(method: string, url: string): string {
  const { pathname, searchParams } = new URL(url, 'http://store')
  const [, bucket = '', ...rest] = pathname.split('/')
  const name = rest.join('/')
  if (searchParams.has('list-type')) return `LIST ${bucket.startsWith(SOURCE) ? 'source' : 'store'}`
  if (method === 'POST' && searchParams.has('delete')) return 'POST several deletions'
  if (bucket.startsWith(SOURCE)) return `${method} source`
  if (name.startsWith('receipts/')) return `${method} receipt`
  if (name.startsWith('failures/')) return `${method} dead letter`
  if (name.startsWith('packs/')) return `${method} pack`
  if (name.startsWith('changes/')) return `${method} change feed`
  if (!name.startsWith('documents/')) return `${method} store`
  return `${method} ${name.endsWith('/record.json') ? 'record' : 'output'}`
}

/** Dollars for 1,000 requests of each class. Deletions by DELETE are free. */
export interface PriceList {
  readonly name: string
  /** PUT, COPY, POST, LIST. */
  readonly writes: number
  /** GET, HEAD and all others. */
  readonly reads: number
}

/** The bench states them in its output: prices change, counts do not. */
export const PRICES: PriceList = {
  name: 'Amazon S3 Standard, us-east-1, list prices as of November 2025',
  writes: 0.005,
  reads: 0.0004,
}

export function dollars(phase: string, requests: number, prices: PriceList = PRICES): number {
  const [method = ''] = phase.split(' ')
  if (method === 'DELETE') return 0
  return (requests / 1000) * (['PUT', 'POST', 'LIST'].includes(method) ? prices.writes : prices.reads)
}
