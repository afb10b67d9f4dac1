import { asUnloadable } from './load-failure.ts'

/** What has native parts, which some packages load at the first call only: it is loaded and called. */
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

/** What is JavaScript only has to be there; to load it all would double the start of the engine. */
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

/** Throws `ConverterUnloadable`, which names the package, when a converter cannot be loaded. */
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

/** Whether the models of lines run here, which read scans in English and Chinese. Tesseract reads them otherwise. */
export async function runsLineModels(): Promise<boolean> {
  const { lineModels } = await import('../pdf/ocr/lines/line-models.ts')
  return (await lineModels()) !== null
}
