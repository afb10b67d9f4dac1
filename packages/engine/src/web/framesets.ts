import type { Element, Root } from 'hast'
import { elementsOf, textOf } from './nodes.ts'
import { parseHtmlFragment } from './parse-html.ts'

/**
 * Replaces a frameset with its fallback content and a link to each frame. Returns the number of frames. 0 for any other
 * page, which remains unchanged.
 */
export function openFramesets(page: Root): number {
  const [outer] = elementsOf(page, ({ tagName }) => tagName === 'frameset')
  if (outer === undefined) return 0
  const frames = elementsOf(page, ({ tagName }) => tagName === 'frame')
  const alternatives = elementsOf(page, ({ tagName }) => tagName === 'noframes')
  outer.tagName = 'body'
  outer.children = [
    ...alternatives.flatMap((element) => parseHtmlFragment(textOf(element)).children as Element[]),
    ...frames.flatMap((frame) => linkTo(frame)),
  ]
  return frames.length
}

function linkTo({ properties }: Element): Element[] {
  const { src, title, name } = properties
  if (typeof src !== 'string') return []
  const text = [title, name, src].find((value) => typeof value === 'string' && value !== '') as string
  const link = { type: 'element', tagName: 'a', properties: { href: src }, children: [{ type: 'text', value: text }] }
  return [{ type: 'element', tagName: 'p', properties: {}, children: [link as Element] }]
}
