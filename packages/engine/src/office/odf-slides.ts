import { markText } from '../anchors/marks.ts'

/** Marker of a slide, which the content of each presentation contains. */
export const SLIDE = '<draw:page '

const SLIDE_END = '</draw:page>'

/**
 * Rewrites each slide that contains one of the signs, separately. The parser skips the others. Null without a change.
 */
export function withSlides(
  xml: string,
  signs: readonly string[],
  rewrite: (slide: string) => string | null,
): string | null {
  const parts: string[] = []
  let at = 0
  for (let start = xml.indexOf(SLIDE); start >= 0; start = xml.indexOf(SLIDE, start + SLIDE.length)) {
    const last = xml.indexOf(SLIDE_END, start)
    if (last < 0) break
    const slide = xml.slice(start, last + SLIDE_END.length)
    const changed = signs.some((sign) => slide.includes(sign)) ? rewrite(slide) : null
    if (changed !== null) {
      parts.push(xml.slice(at, start), changed)
      at = start + slide.length
    }
    start += slide.length - SLIDE.length
  }
  return at === 0 ? null : parts.join('') + xml.slice(at)
}

/** Inserts each slide's number in a frame at its start. The library puts the slide's title before it. */
export function withSlideMarks(xml: string): string {
  let number = 0
  return xml.replace(/<draw:page [^>]*>/g, (tag) => {
    number += 1
    if (tag.endsWith('/>')) return tag
    const place = 'svg:x="-99cm" svg:y="-99cm" svg:width="1cm" svg:height="1cm"'
    return `${tag}<draw:frame ${place}><draw:text-box><text:p>${markText(number)}</text:p></draw:text-box></draw:frame>`
  })
}

const NUMBER = '<text:page-number'
/** A paragraph with only the slide number is furniture, the same as a page number. */
const NUMBER_ALONE =
  /(<text:p(?:\s[^<>]*)?>)(?:<text:span(?:\s[^<>]*)?>)*<text:page-number(?:\s[^<>]*)?(?:\/>|>[^<]*<\/text:page-number>)(?:<\/text:span>)*(?=<\/text:p>)/g
const NUMBER_OR_SLIDE = /<draw:page\s|<text:page-number(?:\s[^<>]*)?(?:\/>|>[^<]*<\/text:page-number>)/g

/** Inserts the slide numbers of a presentation, which its program stores as `<number>`. Null if there are none. */
export function withSlideNumbers(xml: string): string | null {
  if (!xml.includes(NUMBER) || !xml.includes(SLIDE)) return null
  let number = 0
  return xml.replace(NUMBER_ALONE, '$1').replace(NUMBER_OR_SLIDE, (tag) => {
    if (!tag.startsWith(SLIDE.trimEnd())) return String(number)
    number += 1
    return tag
  })
}
