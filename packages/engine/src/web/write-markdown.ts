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

/**
 * Serializes text like the library, with fewer escapes: `&` only before a character reference, `_` never inside a word.
 */
const text: Handle = (node, parent, state, info) => {
  const written = plainText(defaultHandlers.text(node, parent, state, info))
  const shown = withTagsBehindAddresses(written, /\S/.test(info.before))
  return /\S/.test(info.after) ? withoutAddressAtEnd(shown) : shown
}

/**
 * The same for a URL, which ends a link or an image. The words before it are already serialized, except those of an
 * image. A bare URL in the preceding text may extend into the construct, so `<` of a tag is escaped there too.
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
 * Plain marks without padding, so the output grows with the content, even for a table of a million cells. Omits GFM's
 * autolink extension, because it would escape every URL in the text (`https\://`).
 */
const STYLE: Options = {
  bullet: '-',
  rule: '-',
  emphasis: '*',
  fences: true,
  listItemIndent: 'one',
  resourceLink: true,
  handlers: {
    // Two spaces at a line end are a break to a parser, but invisible to a reader. A cell has no lines.
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

/** Renders content of a page as GitHub-flavoured Markdown. Mutates the tree. */
export function writeMarkdown(tree: HastRoot): string {
  prepareTree(tree)
  const mdast = toMdast(tree, { handlers: { ...ELEMENT_HANDLERS } })
  const root: Root = mdast.type === 'root' ? mdast : { type: 'root', children: [] }
  tidyMdast(root)
  return toMarkdown(root, STYLE).trim()
}
