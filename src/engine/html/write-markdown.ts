import type { Root as HastRoot } from 'hast'
import { toMdast } from 'hast-util-to-mdast'
import type { Root } from 'mdast'
import { gfmStrikethroughToMarkdown } from 'mdast-util-gfm-strikethrough'
import { gfmTableToMarkdown } from 'mdast-util-gfm-table'
import { gfmTaskListItemToMarkdown } from 'mdast-util-gfm-task-list-item'
import { toMarkdown } from 'mdast-util-to-markdown'
import type { Options } from 'mdast-util-to-markdown'
import { ELEMENT_HANDLERS } from './element-handlers.ts'
import { prepareTree } from './prepare-tree.ts'
import { tidyMdast } from './tidy-mdast.ts'

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
