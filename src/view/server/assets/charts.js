// History of the limiter, as small charts with a common time axis.
import { element } from './elements.js'

const WIDTH = 300
const HEIGHT = 64

/** Each has one line, or two: the second one is a limit. */
const CHARTS = [
  { title: 'Documents a second', value: (a, b) => perSecond(a.settled, b.settled, a, b) },
  {
    title: 'Requests a minute',
    value: (a, b) => perMinute(a.admitted, b.admitted, a, b),
    limit: (_, b) => b.ratePerMinute,
  },
  { title: 'Requests in flight', value: (_, b) => b.inFlight ?? b.held, limit: (_, b) => b.places },
  { title: 'Refusals a minute', value: (a, b) => perMinute(a.refused, b.refused, a, b) },
]

const perSecond = (before, after, a, b) => (Math.max(0, after - before) * 1000) / (b.at - a.at)
const perMinute = (before, after, a, b) =>
  before === null || after === null ? null : perSecond(before, after, a, b) * 60

export function drawCharts({ samples }) {
  const area = document.querySelector('#live-charts')
  if (samples.length < 3) return
  area.replaceChildren(
    ...CHARTS.flatMap((chart) => {
      const values = seriesOf(chart.value, samples)
      return values.some((value) => value > 0) ? [figure(chart, values, samples)] : []
    }),
  )
}

const seriesOf = (value, samples) => samples.slice(1).map((sample, at) => value(samples[at], sample))

function figure({ title, limit }, values, samples) {
  const limits = limit === undefined ? [] : seriesOf(limit, samples)
  const most = Math.max(1, ...values, ...limits)
  const minutes = Math.max(1, Math.round((samples.at(-1).at - samples[0].at) / 60_000))
  const now = `${short(values.at(-1) ?? 0)}${typeof limits.at(-1) === 'number' ? ` of ${short(limits.at(-1))}` : ''}`
  const chart = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': `${title} over the last ${minutes} min: now ${now}, at most ${short(most)}`,
  })
  const line = points(values, most)
  chart.append(svg('polygon', { points: `0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}` }), svg('polyline', { points: line }))
  if (limits.some((value) => value !== null)) {
    chart.append(svg('polyline', { class: 'limit', points: points(limits, most) }))
  }
  return element(
    'figure',
    {},
    element('figcaption', {}, title, element('span', {}, element('b', {}, now), ` · max ${short(most)}`)),
    chart,
    element('p', { class: 'axis' }, element('span', {}, `${minutes} min ago`), element('span', {}, 'now')),
  )
}

const points = (values, most) =>
  values
    .flatMap((value, at) => {
      const x = (at / Math.max(1, values.length - 1)) * WIDTH
      return value === null ? [] : [`${x.toFixed(1)},${(HEIGHT - 2 - (value / most) * (HEIGHT - 6)).toFixed(1)}`]
    })
    .join(' ')

const short = (value) =>
  value >= 100 ? Math.round(value).toLocaleString('en-GB') : String(Math.round(value * 10) / 10)

function svg(name, attributes) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  return made
}
