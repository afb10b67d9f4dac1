// Links the blocks of a page with the Markdown in its frame.
const frame = document.querySelector('#markdown')
if (frame instanceof HTMLIFrameElement) {
  if (frame.contentDocument?.readyState === 'complete' && frame.contentDocument.body?.childElementCount) link(frame)
  frame.addEventListener('load', () => link(frame))
}

function link(markdown) {
  const inside = markdown.contentDocument
  if (inside === null || inside.body.dataset.linked) return
  inside.body.dataset.linked = 'true'
  const elements = [...inside.querySelectorAll('[data-start]')]
  const blocks = [...document.querySelectorAll('[data-block]')]
  const spanOf = (element) => [Number(element.dataset.start), Number(element.dataset.end)]
  const overlaps = ([a, b], [c, d]) => a < d && c < b
  const clear = () => [...elements, ...blocks].forEach((element) => element.classList.remove('lit'))
  const lightBlock = (id) =>
    blocks.filter((block) => block.dataset.block === id).forEach((block) => block.classList.add('lit'))
  /** Finds the smallest elements that hold a span: a cell rather than its table. */
  const elementsAt = (span) => {
    const all = elements.filter((element) => overlaps(spanOf(element), span))
    return all.filter((element) => !all.some((other) => other !== element && element.contains(other)))
  }
  showPage(markdown, blocks, (span) => elementsAt(span)[0])
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
  for (const element of elements) {
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

/**
 * Scrolls the Markdown to the first block of a later page, if the address cites nothing. The page itself does not
 * scroll.
 */
function showPage(markdown, blocks, find) {
  if (markdown.dataset.page === '1' || markdown.contentDocument.querySelector('#cited') !== null) return
  const first = blocks.find((block) => block.matches('button') && block.dataset.start !== '')
  const found = first === undefined ? undefined : find([Number(first.dataset.start), Number(first.dataset.end)])
  if (found !== undefined) markdown.contentWindow.scrollTo(0, found.getBoundingClientRect().top - 16)
}
