/** Maximum number of steps of the bisection and of the continued fraction: both converge long before. */
const STEPS = 200

/**
 * Clopper-Pearson: the highest share that `bad` of `of` draws allow at confidence 1 - delta, one-sided. Counts may be
 * fractions, because effective numbers of draws are. 1 without draws.
 */
export function upperBound(bad: number, of: number, delta: number): number {
  if (of <= 0 || bad >= of) return 1
  return quantile(1 - delta, bad + 1, of - bad)
}

/** The lowest share that `bad` of `of` draws allow at confidence 1 - delta, one-sided. */
export function lowerBound(bad: number, of: number, delta: number): number {
  return bad <= 0 || of <= 0 ? 0 : quantile(delta, bad, of - bad + 1)
}

/** Number of clean pages that a certificate for this risk needs: 59 for 5 %, 149 for 2 % (delta .05). */
export function cleanPagesNeeded(risk: number, delta: number): number {
  return Math.ceil(Math.log(delta) / Math.log(1 - risk))
}

/** Quantile of a Beta(a, b) variable at probability `share`. */
function quantile(share: number, a: number, b: number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2
    if (incompleteBeta(middle, a, b) < share) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Regularised incomplete beta function, by its continued fraction (Numerical Recipes, 6.4). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x))
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b
}

function fraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const kept = (value: number): number => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1))
  let value = d
  for (let m = 1; m <= STEPS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / kept(1 + even * d)
    c = kept(1 + even / c)
    value *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / kept(1 + odd * d)
    c = kept(1 + odd / c)
    value *= d * c
    if (Math.abs(d * c - 1) < 1e-12) break
  }
  return value
}

const LANCZOS = [
  76.18009172947146, -86.50532032941678, 24.01409824083091, -1.231739572450155, 0.001208650973866179,
  -0.000005395239384953,
]

function logGamma(x: number): number {
  const base = x + 5.5 - (x + 0.5) * Math.log(x + 5.5)
  const series = LANCZOS.reduce((sum, term, at) => sum + term / (x + at + 1), 1.000000000190015)
  return -base + Math.log((2.5066282746310007 * series) / x)
}
