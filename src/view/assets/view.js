// The live part of the overview, and the link between blocks and Markdown. Every text is set as text, never as markup.

const live = document.querySelector('#live')
if (live instanceof HTMLElement && live.dataset.live) follow(live.dataset.live)

/** Asks every two seconds; the rate is that of the last ten minutes. */
function follow(address) {
  const ended = []
  const rates = []
  const ask = async () => {
    try {
      const answer = await fetch(address)
      if (!answer.ok) throw new Error(String(answer.status))
      show(await answer.json())
    } catch {
      document.querySelector('#live-line').textContent = 'Redis does not answer; asking again.'
    }
    setTimeout(ask, 2000)
  }
  const show = (status) => {
    const { pending, ...rest } = status.counts
    const settled = Object.values(rest).reduce((sum, value) => sum + value, 0)
    const now = performance.now()
    const before = ended.at(-1)
    ended.push({ now, settled })
    if (ended.length > 300) ended.shift()
    if (before !== undefined) rates.push(Math.max(0, settled - before.settled) / ((now - before.now) / 1000))
    if (rates.length > 300) rates.shift()
    const first = ended[0]
    const rate = now > first.now ? (settled - first.settled) / ((now - first.now) / 1000) : 0
    const left = rate > 0 && pending > 0 ? `, about ${duration(pending / rate)} left` : ''
    const total = settled + pending
    document.querySelector('#live-line').textContent =
      `${settled} of ${total} documents${rate > 0 ? `, ${rate.toFixed(1)} a second` : ''}${left}` +
      `${status.paused ? '; paused' : ''}${status.gate === null ? '' : `; ${status.gate}`}`
    document.querySelector('#live-progress').value = total === 0 ? 1 : settled / total
    const tiles = [...Object.entries(status.counts), ['in the queue', status.backlog], ['workers', status.workers]]
    const outages = status.outages.map(({ dependency, cause }) => [`${dependency} is out`, cause])
    document.querySelector('#live-tiles').replaceChildren(...[...tiles, ...outages].map(tile))
    for (const button of document.querySelectorAll('#live button'))
      button.hidden = (button.value === 'pause') === status.paused
    draw(rates)
  }
  void ask()
}

function tile([name, value]) {
  const box = document.createElement('div')
  const term = document.createElement('dt')
  const definition = document.createElement('dd')
  term.textContent = name
  definition.textContent = String(value)
  box.append(term, definition)
  return box
}

function draw(rates) {
  const chart = document.querySelector('#live-chart')
  chart.classList.toggle(
    'shown',
    rates.some((rate) => rate > 0),
  )
  const most = Math.max(1, ...rates)
  const line = document.createElementNS('http://www.w3.org/2000/svg', 'polyline')
  line.setAttribute('points', rates.map((rate, at) => `${(at / 300) * 600},${78 - (rate / most) * 74}`).join(' '))
  chart.replaceChildren(line)
}

const duration = (seconds) =>
  seconds < 90
    ? `${Math.round(seconds)} s`
    : seconds < 5400
      ? `${Math.round(seconds / 60)} min`
      : `${(seconds / 3600).toFixed(1)} h`

// Blocks and Markdown.
const frame = document.querySelector('#markdown')
if (frame instanceof HTMLIFrameElement) {
  if (frame.contentDocument?.readyState === 'complete' && frame.contentDocument.body?.childElementCount) link(frame)
  frame.addEventListener('load', () => link(frame))
}

function link(markdown) {
  const inside = markdown.contentDocument
  if (inside === null || inside.body.dataset.linked) return
  inside.body.dataset.linked = 'true'
  const placed = [...inside.querySelectorAll('[data-start]')]
  const blocks = [...document.querySelectorAll('[data-block]')]
  const spanOf = (element) => [Number(element.dataset.start), Number(element.dataset.end)]
  const overlaps = ([a, b], [c, d]) => a < d && c < b
  const clear = () => [...placed, ...blocks].forEach((element) => element.classList.remove('lit'))
  const lightBlock = (id) =>
    blocks.filter((block) => block.dataset.block === id).forEach((block) => block.classList.add('lit'))
  /** The smallest elements that hold a span: a cell rather than its table. */
  const elementsAt = (span) => {
    const all = placed.filter((element) => overlaps(spanOf(element), span))
    return all.filter((element) => !all.some((other) => other !== element && element.contains(other)))
  }
  for (const block of blocks) {
    const enter = () => {
      clear()
      lightBlock(block.dataset.block)
      if (block.dataset.start === '') return
      const found = elementsAt(spanOf(block))
      found.forEach((element) => element.classList.add('lit'))
      found[0]?.scrollIntoView({ block: 'nearest' })
    }
    block.addEventListener('mouseenter', enter)
    block.addEventListener('focus', enter)
    block.addEventListener('click', enter)
    block.addEventListener('mouseleave', clear)
    block.addEventListener('blur', clear)
  }
  for (const element of placed) {
    element.addEventListener('mouseover', (event) => {
      event.stopPropagation()
      clear()
      element.classList.add('lit')
      const span = spanOf(element)
      blocks
        .filter((block) => block.dataset.start !== '' && overlaps(spanOf(block), span))
        .forEach((block) => block.classList.add('lit'))
    })
    element.addEventListener('mouseleave', clear)
  }
}

// Keys: arrows between pages, "/" to the search.
document.addEventListener('keydown', (event) => {
  if (event.target instanceof HTMLElement && event.target.matches('input, select, textarea')) return
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === '/') {
    const search = document.querySelector('input[type=search]')
    if (search instanceof HTMLElement) {
      event.preventDefault()
      search.focus()
    }
  }
  const rel = { ArrowLeft: 'prev', ArrowRight: 'next' }[event.key]
  if (rel !== undefined) document.querySelector(`a[rel=${rel}]`)?.click()
})
