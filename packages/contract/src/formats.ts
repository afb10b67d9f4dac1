/** Family of extensions that one converter parses and that take the same options. */
export type Family = 'pdf' | 'office' | 'html' | 'csv' | 'image'

export interface Format {
  readonly family: Family
  readonly mediaType: string
}

/** The 30 extensions of the contract ("Parse request", "Images"), in its order, each with the media type of its upload. */
export const FORMATS = {
  html: { family: 'html', mediaType: 'text/html' },
  htm: { family: 'html', mediaType: 'text/html' },
  xhtml: { family: 'html', mediaType: 'application/xhtml+xml' },
  pdf: { family: 'pdf', mediaType: 'application/pdf' },
  docx: { family: 'office', mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document' },
  doc: { family: 'office', mediaType: 'application/msword' },
  docm: { family: 'office', mediaType: 'application/vnd.ms-word.document.macroEnabled.12' },
  odt: { family: 'office', mediaType: 'application/vnd.oasis.opendocument.text' },
  ods: { family: 'office', mediaType: 'application/vnd.oasis.opendocument.spreadsheet' },
  odp: { family: 'office', mediaType: 'application/vnd.oasis.opendocument.presentation' },
  rtf: { family: 'office', mediaType: 'application/rtf' },
  xlsx: { family: 'office', mediaType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' },
  xls: { family: 'office', mediaType: 'application/vnd.ms-excel' },
  xlsm: { family: 'office', mediaType: 'application/vnd.ms-excel.sheet.macroEnabled.12' },
  xlsb: { family: 'office', mediaType: 'application/vnd.ms-excel.sheet.binary.macroEnabled.12' },
  pptx: { family: 'office', mediaType: 'application/vnd.openxmlformats-officedocument.presentationml.presentation' },
  ppt: { family: 'office', mediaType: 'application/vnd.ms-powerpoint' },
  pptm: { family: 'office', mediaType: 'application/vnd.ms-powerpoint.presentation.macroEnabled.12' },
  epub: { family: 'office', mediaType: 'application/epub+zip' },
  csv: { family: 'csv', mediaType: 'text/csv' },
  png: { family: 'image', mediaType: 'image/png' },
  jpg: { family: 'image', mediaType: 'image/jpeg' },
  jpeg: { family: 'image', mediaType: 'image/jpeg' },
  jp2: { family: 'image', mediaType: 'image/jp2' },
  tif: { family: 'image', mediaType: 'image/tiff' },
  tiff: { family: 'image', mediaType: 'image/tiff' },
  gif: { family: 'image', mediaType: 'image/gif' },
  bmp: { family: 'image', mediaType: 'image/bmp' },
  webp: { family: 'image', mediaType: 'image/webp' },
  avif: { family: 'image', mediaType: 'image/avif' },
} as const satisfies Record<string, Format>

export type Extension = keyof typeof FORMATS

export const EXTENSIONS = Object.keys(FORMATS) as readonly Extension[]

/** Largest file of the contract: 50 MB, which Sluice reads as 50 · 1024 · 1024 bytes. */
export const MAX_FILE_BYTES = 50 * 1024 * 1024

/** Returns the supported extension of a name, in lower case and without its dot, else null. */
export function extensionOf(name: string): Extension | null {
  const ending = endingOf(name)
  return ending !== null && Object.hasOwn(FORMATS, ending) ? (ending as Extension) : null
}

/** Extensions of plain texts, which become outputs unchanged, without a parser. */
const TEXT_EXTENSIONS = ['md', 'markdown', 'txt'] as const

export type TextExtension = (typeof TEXT_EXTENSIONS)[number]

/** Like `extensionOf`, for texts that need no parser. */
export function textExtensionOf(name: string): TextExtension | null {
  const ending = endingOf(name)
  return TEXT_EXTENSIONS.find((extension) => extension === ending) ?? null
}

/** Returns the extension in lower case and without its dot. */
function endingOf(name: string): string | null {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? null : name.slice(dot + 1).toLowerCase()
}

/** Alternative media types of some servers. */
const ALSO_SENT_AS: Readonly<Record<string, Extension>> = {
  'application/csv': 'csv',
  'text/rtf': 'rtf',
  'application/x-pdf': 'pdf',
  'application/xml+xhtml': 'xhtml',
  'image/jpg': 'jpg',
  'image/x-ms-bmp': 'bmp',
}

/** Returns the supported extension of a `Content-Type` header, else null; ignores its parameters. */
export function extensionOfMediaType(contentType: string): Extension | null {
  const mediaType = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()
  const alias = ALSO_SENT_AS[mediaType]
  return alias ?? EXTENSIONS.find((extension) => FORMATS[extension].mediaType.toLowerCase() === mediaType) ?? null
}

export function formatOf(extension: Extension): Format {
  return FORMATS[extension]
}

/** True for documents of physical pages: PDFs and images. Their answers have pages, blocks and grades. */
export const isPagedFamily = (family: Family): boolean => family === 'pdf' || family === 'image'

/** Like `isPagedFamily`, by the extension. */
export const isPaged = (extension: Extension): boolean => isPagedFamily(FORMATS[extension].family)
