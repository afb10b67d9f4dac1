import type { Element, Root } from 'hast'
import { attribute, elementsOf, firstElement, textOf } from './nodes.ts'

export type HtmlMetadata = Readonly<Record<string, string | readonly string[] | null>>

/** Meta names with a field in the contract or in the answers of the service. */
const FIELD_OF: Readonly<Record<string, string>> = {
  'og:title': 'ogTitle',
  'og:description': 'ogDescription',
  'og:url': 'ogUrl',
  'og:image': 'ogImage',
  'og:audio': 'ogAudio',
  'og:video': 'ogVideo',
  'og:determiner': 'ogDeterminer',
  'og:locale': 'ogLocale',
  'og:locale:alternate': 'ogLocaleAlternate',
  'og:site_name': 'ogSiteName',
  'article:section': 'articleSection',
  'article:tag': 'articleTag',
  'article:published_time': 'publishedTime',
  'article:modified_time': 'modifiedTime',
  'dc.date.created': 'dcDateCreated',
  'dc.date': 'dcDate',
  'dc.description': 'dcDescription',
  'dc.subject': 'dcSubject',
  'dc.type': 'dcType',
  'dcterms.created': 'dcTermsCreated',
  'dcterms.subject': 'dcTermsSubject',
  'dcterms.type': 'dcTermsType',
}

/** Meta elements about transport, not about the document. */
const NOT_METADATA = /^(?:charset|content-type|x-ua-compatible|content-security-policy|refresh)$/i

/**
 * Collects the page's metadata (contract, metadata table): title, description, keywords, language, `ogLocaleAlternate`
 * (always an array), Open Graph and Dublin Core in camel case. Other meta elements keep their name. A repeated key
 * becomes an array.
 */
export function metadataOf(tree: Root): HtmlMetadata {
  const found = new Map<string, string[]>()
  const add = (key: string, value: string | null): void => {
    if (value !== null) found.set(key, [...(found.get(key) ?? []), value])
  }
  for (const meta of elementsOf(tree, (element) => element.tagName === 'meta')) {
    const name = nameOf(meta)
    if (name === null || NOT_METADATA.test(name)) continue
    add(FIELD_OF[name.toLowerCase()] ?? name, attribute(meta, 'content'))
  }
  for (const link of elementsOf(tree, (element) => element.tagName === 'link')) {
    if (/(?:^|\s)icon(?:\s|$)/i.test(attribute(link, 'rel') ?? '') && !found.has('favicon'))
      add('favicon', attribute(link, 'href'))
  }
  return { ...asRecord(found), ...ownFields(tree, found) }
}

function ownFields(tree: Root, found: ReadonlyMap<string, readonly string[]>): HtmlMetadata {
  const of = (name: string): string | undefined => found.get(name)?.[0]
  const title = titleOf(tree) ?? of('ogTitle')
  const description = of('description') ?? of('Description') ?? of('ogDescription')
  const language =
    languageOf(tree) ?? of('content-language') ?? of('Content-Language') ?? of('ogLocale')?.replace('_', '-')
  const alternates = found.get('ogLocaleAlternate')
  return {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(language === undefined ? {} : { language }),
    ...(alternates === undefined ? {} : { ogLocaleAlternate: alternates }),
  }
}

function asRecord(found: ReadonlyMap<string, readonly string[]>): HtmlMetadata {
  return Object.fromEntries([...found].map(([key, values]) => [key, values.length === 1 ? (values[0] ?? '') : values]))
}

function nameOf(meta: Element): string | null {
  return (
    attribute(meta, 'property') ??
    attribute(meta, 'name') ??
    attribute(meta, 'itemProp') ??
    attribute(meta, 'httpEquiv')
  )
}

function titleOf(tree: Root): string | null {
  const title = firstElement(tree, (element) => element.tagName === 'title')
  const text = title === null ? '' : textOf(title)
  return text === '' ? null : text
}

function languageOf(tree: Root): string | null {
  const html = firstElement(tree, (element) => element.tagName === 'html')
  return html === null ? null : (attribute(html, 'lang') ?? attribute(html, 'xmlLang'))
}
