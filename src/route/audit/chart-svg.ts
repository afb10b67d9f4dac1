import type { CurvePoint } from './buying-curve.ts'
import type { AuditSummary } from './summarise.ts'

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [720, 420, 64, 28, 20, 52]
const MOST_POINTS = 400

/**
 * Cost against quality as an SVG file of its own: share of the pages bought, with its credits, against mean agreement with
 * the service. Lines: bought by prediction, at random, and with perfect knowledge.
 */
export function chartSvg({ curve, oracle }: Pick<AuditSummary, 'curve' | 'oracle'>, allCredits: number): string {
  const lowest = Math.min(0.99, ...curve.map(({ quality }) => quality))
  const floor = Math.floor(lowest * 20) / 20
  const x = (share: number): string => (LEFT + share * (WIDTH - LEFT - RIGHT)).toFixed(1)
  const y = (quality: number): string => (TOP + ((1 - quality) / (1 - floor)) * (HEIGHT - TOP - BOTTOM)).toFixed(1)
  const line = (points: readonly CurvePoint[], colour: string, dash = ''): string =>
    `<polyline fill="none" stroke="${colour}" stroke-width="2"${dash} points="${thinned(points)
      .map(({ share, quality }) => `${x(share)},${y(quality)}`)
      .join(' ')}"/>`
  const first = curve[0]?.quality ?? 1
  const text = (at: string, words: string, more = ''): string => `<text ${at} ${more}>${words}</text>`
  const shares = [0, 0.25, 0.5, 0.75, 1]
  const levels = Array.from({ length: 6 }, (_, at) => floor + ((1 - floor) * at) / 5)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="#fff"/>',
    ...levels.map((level) => `<path stroke="#ddd" d="M${x(0)} ${y(level)}H${x(1)}"/>`),
    ...levels.map((level) =>
      text(`x="${LEFT - 8}" y="${Number(y(level)) + 4}"`, level.toFixed(3), 'text-anchor="end"'),
    ),
    ...shares.map((share) =>
      text(
        `x="${x(share)}" y="${HEIGHT - 30}"`,
        `${share * 100} % · ${Math.round(share * allCredits)} cr.`,
        'text-anchor="middle"',
      ),
    ),
    text(`x="${WIDTH / 2}" y="${HEIGHT - 10}"`, 'pages bought, and about what they cost', 'text-anchor="middle"'),
    text(`x="${LEFT}" y="16"`, 'mean agreement with the service:'),
    text(`x="${LEFT + 200}" y="16"`, 'by prediction', 'fill="#0a58ca"'),
    text(`x="${LEFT + 300}" y="16"`, 'perfect knowledge', 'fill="#2b8a3e"'),
    text(`x="${LEFT + 430}" y="16"`, 'at random', 'fill="#868e96"'),
    line(
      [
        { share: 0, quality: first },
        { share: 1, quality: 1 },
      ],
      '#868e96',
      ' stroke-dasharray="5 4"',
    ),
    line(oracle, '#2b8a3e', ' stroke-dasharray="2 3"'),
    line(curve, '#0a58ca'),
    '</svg>\n',
  ].join('\n')
}

function thinned(points: readonly CurvePoint[]): readonly CurvePoint[] {
  const step = Math.max(1, Math.ceil(points.length / MOST_POINTS))
  return points.filter((_, at) => at % step === 0 || at === points.length - 1)
}
