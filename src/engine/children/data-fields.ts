import type { ParseOptions } from '#src/contract/options.ts'
import type { ParsedData } from '#src/contract/response.ts'
import type { Conversion } from '../conversion.ts'
import type { ConversionTask } from './conversion-task.ts'

export interface DataFields {
  /** Pieces of JSON text: `"markdown":"…","pages":[…],`, each field with its comma, no braces around them. */
  readonly fields: Iterable<string>
  readonly metadata: Conversion['metadata']
  readonly warnings: readonly string[]
}

type Fields = Pick<ParsedData, 'markdown' | 'pages' | 'blocks' | 'html' | 'rawHtml' | 'links' | 'images'>

const pdfOptions = (options: ParseOptions): ParseOptions['parsers'][number] | undefined =>
  options.parsers.find((parser) => parser.type === 'pdf')

function wantedFields(conversion: Conversion, task: ConversionTask): Fields {
  const wanted = new Set(task.options.formats.map((format) => format.type))
  const pdf = task.extension === 'pdf' ? pdfOptions(task.options) : undefined
  return {
    ...(wanted.has('markdown') ? { markdown: conversion.markdown } : {}),
    ...(pdf?.pages === true ? { pages: conversion.pages } : {}),
    ...(pdf?.blocks === true ? { blocks: conversion.blocks } : {}),
    ...(wanted.has('html') ? { html: conversion.html } : {}),
    ...(wanted.has('rawHtml') ? { rawHtml: conversion.html } : {}),
    ...(wanted.has('links') ? { links: conversion.links } : {}),
    ...(wanted.has('images') ? { images: conversion.images } : {}),
  }
}

function* asJsonMembers(fields: Fields): Generator<string> {
  for (const [name, value] of Object.entries(fields)) yield `${JSON.stringify(name)}:${JSON.stringify(value)},`
}

/** What the request asked for of a conversion, as the JSON members of the answer's `data`. */
export async function dataFields(conversion: Conversion, task: ConversionTask): Promise<DataFields> {
  const fields = wantedFields(conversion, task)
  return {
    fields: asJsonMembers(fields),
    metadata: conversion.metadata,
    warnings: conversion.warning === null ? [] : [conversion.warning],
  }
}
