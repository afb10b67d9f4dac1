import { markText } from '../anchors/marks.ts'

/** What the content of each presentation holds. */
export const SLIDE = '<draw:page '

const SLIDE_END = '</draw:page>'

/**
 * A presentation of which each slide that holds one of the signs is rewritten by itself: the others are not even read. Null where
 * nothing changed.
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

/** Each slide with its number in a frame at its beginning; the library puts the slide's title before it. */
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
/** A paragraph of nothing but the number of its slide is furniture, as a page number is. */
const NUMBER_ALONE =
  /(<text:p(?:\s[^<>]*)?>)(?:<text:span(?:\s[^<>]*)?>)*<text:page-number(?:\s[^<>]*)?(?:\/>|>[^<]*<\/text:page-number>)(?:<\/text:span>)*(?=<\/text:p>)/g
const NUMBER_OR_SLIDE = /<draw:page\s|<text:page-number(?:\s[^<>]*)?(?:\/>|>[^<]*<\/text:page-number>)/g

/** A presentation with the numbers of its slides, for which its program stores `<number>`; null where there is none. */
export function withSlideNumbers(xml: string): string | null {
  if (!xml.includes(NUMBER) || !xml.includes(SLIDE)) return null
  let number = 0
  return xml.replace(NUMBER_ALONE, '$1').replace(NUMBER_OR_SLIDE, (tag) => {
    if (!tag.startsWith(SLIDE.trimEnd())) return String(number)
    number += 1
    return tag
  })
}
