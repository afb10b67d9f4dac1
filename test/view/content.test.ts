import { expect, test } from 'vitest'
import { LimitedChild } from '@sluice/engine/pages'
import { type Render, RENDER_ENTRY, type RenderRequest, shownContent } from '#src/view/content.ts'

function renderer(timeoutMs: number): { readonly render: Render } & AsyncDisposable {
  const child = new LimitedChild<RenderRequest, string>({ entry: RENDER_ENTRY, timeoutMs, memoryBytes: 1e9, env: {} })
  const render: Render = async (request) => {
    const result = await child.run(request)
    return result.kind === 'done' ? result.output : null
  }
  return { render, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() }
}

test('Markdown is rendered in a child process, and shown as text after a timeout', async () => {
  await using patient = renderer(30_000)
  await using hasty = renderer(1_000)
  // Lists 200 deep take 0.4 s of a fast processor, 800 deep 14 s. A tag that begins an item would be a block that nothing nests in.
  const nested = Array.from({ length: 1_300 }, (_, at) => `${'  '.repeat(at)}- x <b>`).join('\n')
  expect(await shownContent('markdown', nested, [], hasty.render)).toMatch(
    /^<p><em>The document is too large or too deeply nested[^]*- x &lt;b&gt;/,
  )
  expect(await shownContent('markdown', '# Fine', [[2, 6]], patient.render)).toBe(
    '<h1 data-start="0" data-end="6"><mark id="cited">Fine</mark></h1>',
  )
  expect(await shownContent('html', '<p onclick=x>Fine<script>1</script>', [], patient.render)).toBe('<p>Fine</p>')
})

test('the first lines of a large table are shown as a table', async () => {
  await using patient = renderer(30_000)
  const rows = Array.from({ length: 200_000 }, (_, at) => `| ${at} | row |`).join('\n')
  const shown = await shownContent('markdown', `| a | b |\n| - | - |\n${rows}`, [], patient.render)
  expect(shown).toMatch(/^<p><em>The document is too large to show: these are its first lines\.<\/em><\/p><table/)
  expect(shown.match(/<tr/g)?.length).toBeGreaterThan(1_000)
  expect(shown).not.toContain('199999')
})
