import { buyingCurve, type CurvePoint } from '../../src/route/audit/buying-curve.ts'
import type { MixedPage } from './mix.ts'
import { orderOf, POLICIES, type Policy } from './policies.ts'

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [640, 360, 56, 150, 16, 44]
const COLOURS: Readonly<Record<Policy, string>> = {
  routed: '#0969da',
  'text length': '#bc4c00',
  'whole documents': '#8250df',
  random: '#6e7781',
  oracle: '#1a7f37',
}
const POINTS = 200

/** Mean F1 of an archive against the share of its pages that is bought, by policy, as an SVG file. */
export function chartOf(pages: readonly MixedPage[], paidQuality: number): string {
  const curves = POLICIES.map((policy) => {
    const worth = orderOf(pages, policy).map(({ page }) => ({ kept: page.draw.f1, bought: paidQuality }))
    return [policy, buyingCurve(worth)] as const
  })
  const all = curves.flatMap(([, curve]) => curve.map(({ quality }) => quality))
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const x = (share: number): number => LEFT + share * (WIDTH - LEFT - RIGHT)
  const y = (quality: number): number => TOP + ((high - quality) / (high - low)) * (HEIGHT - TOP - BOTTOM)
  const ends = curves.map(([policy]) => policy)
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...[0, 0.25, 0.5, 0.75, 1].map(
      (share) => `<text x="${x(share)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${share * 100} %</text>`,
    ),
    ...[0, 1, 2, 3, 4].map((at) => {
      const quality = low + ((high - low) * at) / 4
      const line = `<path d="M${LEFT} ${y(quality).toFixed(1)}H${WIDTH - RIGHT}" stroke="#d0d7de"/>`
      return `${line}<text x="${LEFT - 6}" y="${(y(quality) + 4).toFixed(1)}" text-anchor="end">${quality.toFixed(3)}</text>`
    }),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">pages bought, F1 ${paidQuality}</text>`,
    ...curves.map(
      ([policy, curve]) =>
        `<polyline fill="none" stroke="${COLOURS[policy]}" stroke-width="2" points="${pointsOf(curve, x, y)}"/>`,
    ),
    ...ends.map((policy, at) => {
      const top = TOP + 16 + at * 20
      const mark = `<path d="M${WIDTH - RIGHT + 10} ${top - 4}h18" stroke="${COLOURS[policy]}" stroke-width="2"/>`
      return `${mark}<text x="${WIDTH - RIGHT + 34}" y="${top}">${policy}</text>`
    }),
    '</svg>',
  ].join('\n')}\n`
}

function pointsOf(curve: readonly CurvePoint[], x: (share: number) => number, y: (quality: number) => number): string {
  const step = Math.max(1, Math.floor(curve.length / POINTS))
  const thinned = curve.filter((_, at) => at % step === 0 || at === curve.length - 1)
  return thinned.map(({ share, quality }) => `${x(share).toFixed(1)},${y(quality).toFixed(1)}`).join(' ')
}
