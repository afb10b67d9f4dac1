import type { Element } from 'hast'
import { defaultHandlers } from 'hast-util-to-mdast'
import type { Handle, State } from 'hast-util-to-mdast'
import type { Html, Paragraph, Parents } from 'mdast'
import { REMOVED_IMAGE } from './base64-images.ts'
import { attribute, elementsOf, firstElement, textOf } from './nodes.ts'
import { tableToMdast } from './table-to-mdast.ts'

const children: Handle = (state: State, node: Element) => state.all(node)
const nothing: Handle = () => undefined

/** Where our reading of an HTML element differs from the library's. */
export const ELEMENT_HANDLERS: Readonly<Record<string, Handle>> = {
  table: (state, node) => tableToMdast(state, node),
  a: anchor,
  img: image,
  pre: listing,
  math,
  sub: (state, node) => marked(state, node, 'sub'),
  sup: (state, node) => marked(state, node, 'sup'),
  // Underline and highlight are no emphasis that Markdown could express.
  u: children,
  mark: children,
  var: defaultHandlers.em,
  dialog: children,
  // The reading of a word, after the word, as it is shown by what knows no small print.
  rt: (state, node) => [{ type: 'text', value: '(' }, ...state.all(node), { type: 'text', value: ')' }],
  rp: nothing,
  menu: defaultHandlers.ul,
  dt: (state, node) => ({ type: 'listItem', spread: false, checked: null, children: term(state, node) }),
  // Controls and players have no text of the document.
  select: nothing,
  textarea: nothing,
  iframe: nothing,
  audio: nothing,
  video: nothing,
  object: nothing,
  canvas: nothing,
  input: (state, node) =>
    /^(?:checkbox|radio)$/.test(String(node.properties.type)) ? defaultHandlers.input(state, node) : undefined,
}

/** An anchor without an address is a target, not a link; one without text or picture has nothing to click on. */
function anchor(state: State, node: Element): ReturnType<Handle> {
  const isTarget = attribute(node, 'href') === null
  const isEmpty = textOf(node) === '' && firstElement(node, (element) => element.tagName === 'img') === null
  return isTarget || isEmpty ? state.all(node) : defaultHandlers.a(state, node)
}

/** An image keeps its alt text when the picture was taken out; one with neither address nor text is dropped. */
function image(state: State, node: Element): ReturnType<Handle> {
  const alt = (attribute(node, 'alt') ?? '').replace(/\s+/g, ' ')
  if (attribute(node, 'dataRemoved') !== null) return html(`![${alt.replace(/[[\]\\]/g, '\\$&')}](${REMOVED_IMAGE})`)
  return attribute(node, 'src') === null && alt === '' ? undefined : defaultHandlers.img(state, node)
}

/** A listing, with the language where the page names it in any of the usual ways. */
function listing(state: State, node: Element): ReturnType<Handle> {
  const code = defaultHandlers.pre(state, node)
  if (code && 'lang' in code && !code.lang) code.lang = languageOf(node)
  return code
}

function languageOf(pre: Element): string | null {
  for (const element of [pre, ...elementsOf(pre, ({ tagName }) => tagName === 'code')]) {
    const named = attribute(element, 'dataLang') ?? attribute(element, 'dataLanguage')
    const match = /(?:^|[\s])(?:lang(?:uage)?|highlight-source|brush:)[-\s]?([\w+#-]+)/.exec(
      attribute(element, 'className') ?? '',
    )
    const language = named ?? match?.[1]
    if (language !== undefined) return language
  }
  return null
}

/** MathML as the TeX that it was made from, where the page carries it; else its text. */
function math(_state: State, node: Element): ReturnType<Handle> {
  const annotation = firstElement(
    node,
    (element) => element.tagName === 'annotation' && /tex/i.test(attribute(element, 'encoding') ?? ''),
  )
  const tex = (annotation === null ? attribute(node, 'alttext') : textOf(annotation)) ?? ''
  if (tex === '') return { type: 'text', value: textOf(node) }
  return html(attribute(node, 'display') === 'block' ? `$$${tex}$$` : `$${tex}$`)
}

/** Markdown has no sub- or superscript, and without them 10⁶ would read 106: the HTML element stays. */
function marked(state: State, node: Element, tagName: 'sub' | 'sup'): ReturnType<Handle> {
  const content = state.all(node)
  return textOf(node) === '' ? content : [html(`<${tagName}>`), ...content, html(`</${tagName}>`)]
}

function term(state: State, node: Element): Paragraph[] {
  const flow = state.toFlow(state.all(node)) as Parents[]
  return flow.map(
    (block) => ({ type: 'paragraph', children: [{ type: 'strong', children: block.children }] }) as Paragraph,
  )
}

function html(value: string): Html {
  return { type: 'html', value }
}
