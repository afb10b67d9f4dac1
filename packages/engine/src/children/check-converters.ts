import { asUnloadable } from './load-failure.ts'

/** Converters with native parts. Some packages load them at the first call, so the check loads and calls each. */
const NATIVE: Readonly<Record<string, () => Promise<unknown>>> = {
  'PDF documents': async () => {
    const { LiteParse } = await import('@llamaindex/liteparse')
    return new LiteParse({ ocrEnabled: false, quiet: true })
  },
  'Office documents': async () => {
    const { formatFromExtension } = await import('@firecrawl/anydoc')
    return formatFromExtension('docx')
  },
}

/** Converters in JavaScript only need to be present. A load of all would double the start time of the engine. */
export const SCRIPTED: Readonly<Record<string, readonly string[]>> = {
  'web pages': [
    '@mozilla/readability',
    'hast-util-from-parse5',
    'hast-util-select',
    'hast-util-to-html',
    'hast-util-to-mdast',
    'linkedom',
    'mdast-util-from-markdown',
    'mdast-util-gfm',
    'mdast-util-gfm-strikethrough',
    'mdast-util-gfm-table',
    'mdast-util-gfm-task-list-item',
    'mdast-util-to-hast',
    'mdast-util-to-markdown',
    'micromark-extension-gfm',
    'parse5',
    'unist-util-visit',
  ],
  'Office and large web documents': ['htmlparser2'],
  spreadsheets: ['@e965/xlsx'],
  'CSV tables': ['chardet'],
  'every document': ['tinyld'],
}

/** Throws `ConverterUnloadable`, which names the package, if a converter cannot be loaded. */
export async function checkConverters(): Promise<void> {
  for (const [name, load] of Object.entries(NATIVE)) {
    try {
      await load()
    } catch (error) {
      throw asUnloadable(error, name)
    }
  }
  for (const [name, packages] of Object.entries(SCRIPTED)) {
    try {
      packages.forEach((specifier) => import.meta.resolve(specifier))
    } catch (error) {
      throw asUnloadable(error, name)
    }
  }
}

/** True if this machine runs the line models, which read scans in English and Chinese. Tesseract is the fallback. */
export async function runsLineModels(): Promise<boolean> {
  const { lineModels } = await import('../pdf/ocr/lines/line-models.ts')
  return (await lineModels()) !== null
}
