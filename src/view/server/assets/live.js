// The live part of the overview: polls the state every two seconds, and the history every five.
import { drawCharts } from './charts.js'
import { count, duration, element } from './elements.js'

const live = document.querySelector('#live')
if (live instanceof HTMLElement && live.dataset.live) {
  every(2_000, live.dataset.live, show)
  every(5_000, live.dataset.history, drawCharts)
}

const totals = document.querySelector('#totals')
if (totals instanceof HTMLElement) every(10_000, totals.dataset.store, showStore)

/** The index of the store lags behind the store by a quarter of a minute. */
function showStore({ isIndexed, documents, pages, credits, outcomes }) {
  const tiles = [
    ['Documents', documents],
    ...(live === null ? outcomes : []).map(({ value, count: number }) => [value, number]),
    ['Pages', pages],
    ['Credits', credits],
  ]
  totals.replaceChildren(...tiles.map(([name, value]) => tile(name, count(value))))
  const behind = live === null ? '' : 'These numbers may be 15 seconds older than the run.'
  const note = isIndexed ? behind : 'Reading the store for the first time: the numbers are incomplete.'
  document.querySelector('#store-note').textContent = note
}

function every(ms, address, use) {
  const ask = async () => {
    try {
      const answer = await fetch(address)
      if (!answer.ok) throw new Error(String(answer.status))
      use(await answer.json())
    } catch {
      const line = document.querySelector('#live-line')
      if (line !== null) line.textContent = 'Redis does not answer; retrying.'
    }
    setTimeout(ask, ms)
  }
  void ask()
}

function show(status) {
  const { pending, ...ended } = status.counts
  const settled = Object.values(ended).reduce((sum, value) => sum + value, 0)
  const total = settled + pending
  const { perSecond: rate, leftMs } = status
  const left = leftMs === null ? '' : `, about ${duration(leftMs / 1000)} left`
  const line = document.querySelector('#live-line')
  line.textContent =
    `${count(settled)} of ${count(total)} ${total === 1 ? 'document' : 'documents'}${rate > 0 ? `, ${rate.toFixed(1)} a second` : ''}${left}` +
    (status.paused ? '; paused' : '')
  document.querySelector('#live-run').replaceChildren(...lastRun(status))
  document.querySelector('#live-progress').value = total === 0 ? 1 : settled / total
  const tiles = [...Object.entries(status.counts), ['in the queue', status.backlog]]
  document.querySelector('#live-tiles').replaceChildren(...tiles.map(([name, value]) => tile(name, count(value))))
  const skipped = Object.entries(status.skippedBy).map(([reason, value]) => `${count(value)} ${reason}`)
  document.querySelector('#live-skipped').textContent = skipped.length === 0 ? '' : `Skipped: ${skipped.join(', ')}`
  // Without a worker no process polls the service: the outage may be over.
  const isAsked = status.workers > 0
  const outages = status.outages.map(({ dependency, cause, since }) => {
    const state = isAsked
      ? `is unavailable for ${duration((Date.now() - since) / 1000)}`
      : `was unavailable at the last check, since ${new Date(since).toTimeString().slice(0, 8)}`
    return element('li', {}, `${dependency} ${state}: ${cause}`)
  })
  document.querySelector('#live-outages').replaceChildren(...outages)
  document.querySelector('#live-limiter').replaceChildren(...limiter(status))
  document.querySelector('#live-budgets').replaceChildren(...status.budgets.map(budget))
  document.querySelector('#live-workers').replaceChildren(...workers(status.processes))
  for (const button of document.querySelectorAll('#live form button'))
    button.hidden = (button.value === 'pause') === status.paused
}

const capital = (word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
const tile = (name, value) => element('div', {}, element('dt', {}, capital(name)), element('dd', {}, value))

/** States that require an action of the user. */
const STOPPED = ['halted', 'killed', 'failed']

function lastRun({ lastRun: run }) {
  if (run === null) return []
  const line = `Last run: ${run.line}`
  const lines = run.next === null ? [line] : [line, element('br', {}), capital(run.next)]
  return [element('p', { class: STOPPED.includes(run.state) ? 'stopped' : 'soft' }, ...lines)]
}

function limiter({ limiter: gate, lastRun: run }) {
  if (gate === null) {
    const text =
      run === null
        ? 'No run has been recorded for this store.'
        : 'The embedded engine has no rate or concurrency limits.'
    return [element('p', { class: 'soft' }, text)]
  }
  const rate =
    gate.ratePerWindow === null ? 'none known' : `${Math.round((gate.ratePerWindow * 60_000) / gate.windowMs)}/min`
  const refused = Object.entries(gate.refused).filter(([, value]) => value > 0)
  const facts = [
    ['Rate limit', `${rate}${gate.ratePerWindow !== null && gate.rateLearned ? ', learned' : ''}`],
    ['In flight', `${gate.inFlight} of ${gate.places}${gate.placesLearned ? ', learned' : ''}`],
    ['Service time', gate.serviceMs === null ? '–' : duration(gate.serviceMs / 1000)],
    ['Requests admitted', count(gate.admitted)],
    ['Refused', refused.length === 0 ? 'none' : refused.map(([limit, value]) => `${count(value)} ${limit}`).join(', ')],
    ...(gate.shut === null && gate.waitsUntil === null ? [] : [['Now', gate.line]]),
  ]
  return [element('dl', { class: 'pairs' }, ...facts.map(([name, value]) => tile(name, value)))]
}

function budget({ scope, limit, spent, held }) {
  const name = scope === 'month' ? 'Credits this month' : 'Credits of this run'
  const reserved = held > 0 ? `, ${count(held)} reserved` : ''
  const text = limit === null ? `${count(spent)}${reserved}, no cap` : `${count(spent)} of ${count(limit)}${reserved}`
  const meter =
    limit === null
      ? []
      : [element('meter', { min: 0, max: limit, high: limit * 0.9, value: spent, 'aria-label': name })]
  return element('div', {}, element('dt', {}, name), element('dd', {}, text, ...meter))
}

function workers(processes) {
  if (processes.length === 0) return [element('p', { class: 'soft' }, 'No worker runs.')]
  const rows = processes.map(({ process, heartbeatMs, held, documents }) => {
    const base = live.dataset.live.replace(/\/api\/live$/, '')
    const named = documents.slice(0, 5).map(({ key, requestMs }) => {
      const link = element('a', { href: `${base}/document?${new URLSearchParams({ key })}` }, key)
      const doing = requestMs === null ? 'no request in flight' : `request for ${duration(requestMs / 1000)}`
      return element('li', {}, link, element('span', { class: 'soft' }, doing))
    })
    const more = held > named.length ? [element('li', {}, `and ${count(held - named.length)} more`)] : []
    return element(
      'tr',
      {},
      element('th', { scope: 'row' }, process),
      element('td', {}, `${duration(heartbeatMs / 1000)} ago`),
      element('td', { class: 'number' }, count(held)),
      element('td', {}, held === 0 ? '–' : element('ul', { class: 'plain' }, ...named, ...more)),
    )
  })
  const head = ['Process', 'Heartbeat', 'Documents', 'In flight'].map((name) => element('th', { scope: 'col' }, name))
  return [element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows))]
}
