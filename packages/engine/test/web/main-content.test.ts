import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Conversion } from '../../src/conversion.ts'
import { convert, markdownOf } from './convert.ts'

const page = (name: string): string => readFileSync(join(import.meta.dirname, 'pages', `${name}.html`), 'utf8')
const mainOf = async (name: string): Promise<string> => (await convert(page(name))).markdown

/** Each of `wanted` in this order, none of `unwanted`. */
function expectText(markdown: string, wanted: readonly string[], unwanted: readonly string[]): void {
  let from = 0
  for (const text of wanted) {
    const at = markdown.indexOf(text, from)
    expect(at, `«${text}» should come after character ${from} of:\n${markdown}`).toBeGreaterThanOrEqual(from)
    from = at + text.length
  }
  for (const text of unwanted) expect(markdown).not.toContain(text)
}

describe('main content of', () => {
  test('a news page has a title as long as a sentence once', async () => {
    const long = 'Harbour bridge to close for six months while its bearings are renewed, says the port authority'
    const html = page('news').replaceAll('Harbour bridge to close for six months', long)
    expect((await convert(html)).markdown.split(long)).toHaveLength(2)
  })

  test('a news page is its title, lead and story, without the site around it', async () => {
    expectText(
      await mainOf('news'),
      [
        '# Harbour bridge to close for six months',
        'The bridge closes in March',
        '![The harbour bridge at dawn](https://courier.example/img/bridge-1600.jpg)',
        "Eastport's harbour bridge will close",
        'The authority had planned',
        'Buses 4, 9 and 17',
        '## What it costs',
        '> It will be a hard half year',
        'Tomasz Lewandowski',
        '## What happens next',
        'two weeks early.',
      ],
      [
        'We value your privacy',
        'Advertisement',
        'Read more',
        'tunnel',
        'dockside_dan',
        'Most read',
        'Terms',
        'Photo: Port Authority',
        'Share',
        'has covered the port',
        'Search',
      ],
    )
  })

  test('a news page leaves out galleries, bylines, dates and calls to comment, and keeps a heading like them', async () => {
    const sentence =
      'The harbour bridge will close in March, and the port authority expects that traffic moves to the tunnel for half a year. '
    const story = Array.from({ length: 12 }, (_, index) => `<p>${index}: ${sentence.repeat(2)}</p>`)
    const gallery =
      '<div class="swiper-wrapper"><div><h3>Elsewhere</h3><span>Another town has lost its bridge to a storm, and the cause is not known yet</span></div></div>'
    story.splice(
      4,
      0,
      `<figure><a href="#"><img src="a.jpg"></a><figcaption><span>The bridge at dawn</span><span>Credit: Ada</span></figcaption></figure>`,
    )
    story.splice(6, 0, `<div class="rail rail--trending"><div><h3>Most read in town</h3>${gallery}</div></div>`)
    story.splice(8, 0, '<h2>Comments of the council</h2>')
    const html = `<html><body><nav>Site</nav><article><h1>Bridge closes</h1><p class="byline">By Ada Byron</p>${story.join('')}<p>First Published: Tuesday, November 19, 2019 08:38 AM</p><hr><p>Post Comment (+)</p></article></body></html>`
    expectText(
      await markdownOf(html),
      ['# Bridge closes', '0: The harbour', '## Comments of the council', '11: The harbour'],
      ['Ada', 'at dawn', 'Elsewhere', 'Another town', 'Most read', 'First Published', 'Post Comment', '---'],
    )
  })

  test('a reference page includes its tables, listings and lists of links', async () => {
    expectText(
      await mainOf('reference'),
      [
        '# Configuration\n',
        '```toml\n[server]\nport = 8080\n```',
        '| `port` | `8080` |',
        '| `workers` | cores |',
        '`TERN_PORT`',
        'Overrides `port`',
        'win over the file',
        '[Metrics](metrics.html)',
      ],
      ['Installation', 'Guide', 'Built with', '¶', 'Docs'],
    )
  })

  test('a thread keeps every post', async () => {
    expectText(
      await mainOf('forum'),
      ['# Sourdough does not rise', 'My starter doubles', 'Overnight at 24 degrees', 'Five hours it is.'],
      ['Register', 'Powered by'],
    )
  })

  test('a page that is one table is that table', async () => {
    expectText(
      await mainOf('statistics'),
      [
        '# Einwohner nach Bezirk',
        'Stand: 31.',
        'Einwohner und Fläche',
        '| Bezirk | Einwohner | Fläche in km² |',
        '| [West](/west) | 198 730 | 47,0 |',
        'Quelle',
      ],
      ['Themen', 'Impressum'],
    )
  })

  test('an article keeps the header inside it, which holds the title', async () => {
    expectText(
      await mainOf('essay'),
      [
        '# On keeping bees in a city',
        'When I carried',
        'City bees',
        '1. Tell the neighbours',
        '3. Leave them',
        'three swarms',
        'July 58',
      ],
      ['Older', 'Newer', 'a feed', 'About', '3 May 2025'],
    )
  })

  test('a front page without an article is its sections', async () => {
    expectText(
      await mainOf('frontpage'),
      [
        '# The sea, twice a day',
        '## On now',
        '### [Moon and mud](https://tides.example/en/moon)',
        'eels',
        '## Find us',
        'Pier 9',
      ],
      ['Shop', 'Registered charity'],
    )
  })
})

describe('main content', () => {
  test('of a page without furniture is the entire page, however short', async () => {
    expect(await markdownOf('<h1>Note</h1><p>Short.</p><table><tr><td>a</td></tr><tr><td>b</td></tr></table>')).toBe(
      '# Note\n\nShort.\n\n| a |\n| - |\n| b |',
    )
  })

  test('is never empty when the page is not', async () => {
    expect(await markdownOf('<nav><ul><li><a href="/a">One</a></li><li><a href="/b">Two</a></li></ul></nav>')).toBe(
      '- [One](/a)\n- [Two](/b)',
    )
  })

  test('survives an element left open inside noscript', async () => {
    const text = 'The park counted nine cubs this year, more than in any year since the counting began in 1996. '
    expect(await markdownOf(`<body><noscript><div id="off"></noscript><nav>Menu</nav><p>${text}</p></body>`)).toBe(
      text.trim(),
    )
  })

  test('is not extracted when onlyMainContent is off', async () => {
    const markdown = await markdownOf(page('news'), { onlyMainContent: false })
    expectText(
      markdown,
      ['Weather', 'Harbour bridge to close', 'Comments (2)', 'Most read', 'Terms'],
      ['We value your privacy'],
    )
  })

  test('includes advertisements and cookie notices when blockAds is off', async () => {
    const markdown = await markdownOf(page('news'), { onlyMainContent: false, blockAds: false })
    expectText(markdown, ['We value your privacy', 'new electric cars'], [])
  })
})

describe('the options includeTags and excludeTags', () => {
  const convertNews = (options: Parameters<typeof convert>[1]): Promise<Conversion> => convert(page('news'), options)

  test('keep only the included elements, in the order of the page', async () => {
    const { markdown, html } = await convertNews({ includeTags: ['.standfirst', 'h1', '.story-body blockquote'] })
    expect(markdown).toBe(
      '# Harbour bridge to close for six months\n\nThe bridge closes in March for the first full repair since it opened in 1961, and commuters will have to take the long way round.\n\n> It will be a hard half year, but the alternative is a bridge that we have to close from one day to the next.',
    )
    expect(html).toContain('<h1>Harbour bridge')
    expect(html).not.toContain('Eastport')
  })

  test('remove the excluded elements, also inside included ones', async () => {
    const { markdown } = await convertNews({
      includeTags: ['.story-body'],
      excludeTags: ['figure', '#comments', 'blockquote'],
    })
    expectText(markdown, ["Eastport's harbour bridge", 'What happens next'], ['Photo', 'hard half year'])
  })

  test('ignore an invalid CSS selector and name it in the warning', async () => {
    const { markdown, warning } = await convertNews({ excludeTags: ['p[', 'h1'] })
    expect(markdown).not.toContain('# Harbour bridge')
    expect(warning).toBe('These includeTags or excludeTags are not CSS selectors and were ignored: `p[`.')
  })
})
