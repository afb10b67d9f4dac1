import { textExtensionOf } from '@sluice/contract'

/**
 * Form of a text that needs no parser. `verbatim`: Markdown, plain text, and a mail, whose source converts it. `code`: a
 * code block of this language. `notebook`, `subtitles`: converted.
 */
export type TextKind =
  | { readonly kind: 'verbatim' }
  | { readonly kind: 'code'; readonly language: string }
  | { readonly kind: 'notebook' }
  | { readonly kind: 'subtitles' }

const VERBATIM: TextKind = { kind: 'verbatim' }

/** Languages of code blocks by extension, where it is not the name of the language itself. */
const LANGUAGES: Readonly<Record<string, string>> = {
  bat: 'batch',
  cc: 'cpp',
  cs: 'csharp',
  cxx: 'cpp',
  h: 'c',
  hpp: 'cpp',
  jsonl: 'json',
  kt: 'kotlin',
  mjs: 'js',
  ndjson: 'json',
  pl: 'perl',
  ps1: 'powershell',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  vbs: 'vbscript',
  url: 'ini',
  yml: 'yaml',
}

/** Extensions that name their language. */
const CODE =
  'bash c cmake conf cpp css diff go gradle graphql ics ini java js json jsx log lua patch php properties proto r sass scala scss sh sql swift tex toml ts tsx vb vcf xml xsd xsl yaml'.split(
    ' ',
  )

const KINDS: ReadonlyMap<string, TextKind> = new Map<string, TextKind>([
  ...[...CODE, ...Object.keys(LANGUAGES)].map(
    (extension) => [extension, { kind: 'code', language: LANGUAGES[extension] ?? extension }] as const,
  ),
  ...['eml', 'msg', 'mht', 'mhtml', 'adoc', 'org', 'rst'].map((extension) => [extension, VERBATIM] as const),
  ['ipynb', { kind: 'notebook' }],
  ['srt', { kind: 'subtitles' }],
  ['vtt', { kind: 'subtitles' }],
])

/** Returns the form of a document's text by its name; null for a document that needs a parser. */
export function textKindOf(name: string): TextKind | null {
  if (textExtensionOf(name) !== null) return VERBATIM
  return KINDS.get(/\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? '') ?? null
}
