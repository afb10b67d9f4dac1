import type { Element } from 'hast'
import { defaultHandlers } from 'hast-util-to-mdast'
import type { Handle, State } from 'hast-util-to-mdast'
import type { Html, Paragraph, Parents } from 'mdast'
import { REMOVED_IMAGE } from './base64-images.ts'
import { attribute, elementsOf, firstElement, textOf } from './nodes.ts'
import { tableToMdast } from './table-to-mdast.ts'

const children: Handle = (state: State, node: Element) => state.all(node)
const nothing: Handle = () => undefined

/** Handlers for HTML elements that the engine converts differently from the library. */
export const ELEMENT_HANDLERS: Readonly<Record<string, Handle>> = {
  table: (state, node) => tableToMdast(state, node),
  a: anchor,
  img: image,
  pre: listing,
  math,
  sub: (state, node) => marked(state, node, 'sub'),
  sup: (state, node) => marked(state, node, 'sup'),
  // Markdown has no syntax for underline and highlight.
  u: children,
  mark: children,
  var: defaultHandlers.em,
  dialog: children,
  // Ruby text follows its word in parentheses, the fallback of renderers without ruby.
  rt: (state, node) => [{ type: 'text', value: '(' }, ...state.all(node), { type: 'text', value: ')' }],
  rp: nothing,
  menu: defaultHandlers.ul,
  dt: (state, node) => ({ type: 'listItem', spread: false, checked: null, children: term(state, node) }),
  // Controls and players contain no text of the document.
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

/** An anchor without a URL is a target, not a link. An anchor without text or picture has no clickable content. */
function anchor(state: State, node: Element): ReturnType<Handle> {
  const isTarget = attribute(node, 'href') === null
  const isEmpty = textOf(node) === '' && firstElement(node, (element) => element.tagName === 'img') === null
  return isTarget || isEmpty ? state.all(node) : defaultHandlers.a(state, node)
}

/** An image without its picture keeps its alt text. An image with neither URL nor text is dropped. */
function image(state: State, node: Element): ReturnType<Handle> {
  const alt = (attribute(node, 'alt') ?? '').replace(/\s+/g, ' ')
  if (attribute(node, 'dataRemoved') !== null) return html(`![${alt.replace(/[[\]\\]/g, '\\$&')}](${REMOVED_IMAGE})`)
  return attribute(node, 'src') === null && alt === '' ? undefined : defaultHandlers.img(state, node)
}

/** Converts a code block, with the language in any of the usual notations. */
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

/** Converts MathML to its TeX source, if the page contains it. The fallback is its text. */
function math(_state: State, node: Element): ReturnType<Handle> {
  const annotation = firstElement(
    node,
    (element) => element.tagName === 'annotation' && /tex/i.test(attribute(element, 'encoding') ?? ''),
  )
  const tex = (annotation === null ? attribute(node, 'alttext') : textOf(annotation)) ?? ''
  if (tex === '') return { type: 'text', value: textOf(node) }
  return html(attribute(node, 'display') === 'block' ? `$$${tex}$$` : `$${tex}$`)
}

/** Keeps the HTML element. Markdown has no sub- or superscript, and without them 10⁶ would read 106. */
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
