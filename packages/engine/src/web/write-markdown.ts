import type { Root as HastRoot } from 'hast'
import { toMdast } from 'hast-util-to-mdast'
import type { Root } from 'mdast'
import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { gfmTaskListItemToMarkdown } from 'mdast-util-gfm-task-list-item'
import { defaultHandlers, toMarkdown } from 'mdast-util-to-markdown'
import type { Handle, Options } from 'mdast-util-to-markdown'
import { withoutAddressAtEnd, withTagsBehindAddresses } from '../markup/tags-behind-addresses.ts'
import { ELEMENT_HANDLERS } from './element-handlers.ts'
import { prepareTree } from './prepare-tree.ts'
import { tidyMdast } from './tidy-mdast.ts'

const plainText = (text: string): string =>
  text.replace(/\\&(?!#?\w+;)/g, '&').replace(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, '_')

/** As the library writes it, but `&` is escaped only where it would start a character reference, `_` never inside a word. */
const text: Handle = (node, parent, state, info) => {
  const written = plainText(defaultHandlers.text(node, parent, state, info))
  const shown = withTagsBehindAddresses(written, /\S/.test(info.before))
  return /\S/.test(info.after) ? withoutAddressAtEnd(shown) : shown
}

/**
 * The same for an address, which ends what a link or an image writes; the words before it are written already, but for those
 * of an image. A title has no tags: an address before the whole of it may end within it.
 */
function plainAddress(handle: Handle): Handle {
  return Object.assign<Handle, object>((node, parent, state, info) => {
    const written = handle(node, parent, state, info)
    const address = Math.max(written.lastIndexOf(']('), 0)
    const words = written.slice(0, address)
    const shown = written.startsWith('!') ? withTagsBehindAddresses(words, true) : words
    return shown + plainText(written.slice(address)).replace(/<(?=[a-z/!?])/gi, '&lt;')
  }, handle)
}

/**
 * Plain marks, no padding: the size of the output follows the size of the content, also for a table of a million cells.
 * GFM's autolink extension is left out on purpose: it would escape every address in the text (`https\://`).
 */
const STYLE: Options = {
  bullet: '-',
  rule: '-',
  emphasis: '*',
  fences: true,
  listItemIndent: 'one',
  resourceLink: true,
  handlers: {
    // Two spaces at a line's end are a break to a parser and nothing to a reader; a cell has no lines.
    text,
    link: plainAddress(defaultHandlers.link),
    image: plainAddress(defaultHandlers.image),
    break: (_node, _parent, state) => (state.stack.includes('tableCell') ? '<br>' : '  \n'),
  },
  extensions: [
    gfmTableToMarkdown({ tablePipeAlign: false }),
    gfmStrikethroughToMarkdown(),
    gfmTaskListItemToMarkdown(),
  ],
}

/** Content of a page as GitHub-flavoured Markdown. The tree is used up. */
export function writeMarkdown(tree: HastRoot): string {
  prepareTree(tree)
  const mdast = toMdast(tree, { handlers: { ...ELEMENT_HANDLERS } })
  const root: Root = mdast.type === 'root' ? mdast : { type: 'root', children: [] }
  tidyMdast(root)
  return toMarkdown(root, STYLE).trim()
}
