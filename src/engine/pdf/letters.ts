import type { ParsedPage, TextItem } from '@llamaindex/liteparse'

export function lettersOf(page: ParsedPage): number {
  return page.textItems.reduce((sum, item) => sum + item.text.replace(/\s+/g, '').length, 0)
}

/** Letters of native text without a meaning: private-use code points and the replacement character. */
export function garbledLetters(items: readonly TextItem[]): number {
  return items.reduce((sum, item) => sum + (item.text.match(/[\ue000-\uf8ff\ufffd]/gu)?.length ?? 0), 0)
}
