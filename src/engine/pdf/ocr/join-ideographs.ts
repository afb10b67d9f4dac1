import type { TextItem } from '@llamaindex/liteparse'
import { BEGINS_WITH_RUN, ENDS_IN_RUN, hasIdeographs, SPACES_IN_RUN } from '../layout/ideographs.ts'

/** Characters of a run stand nearer to one another than this share of their height. */
const GAP = 1.2
/** The middle of a flat character, such as 一, lies within its line, which is higher by this share on either side. */
const RIM = 0.3

/** Recognised items, with runs of ideographs as one: Tesseract takes each few of them for a word. */
export function withJoinedIdeographs(items: readonly TextItem[]): readonly TextItem[] {
  if (!items.some(({ text }) => hasIdeographs(text))) return items
  const runs: TextItem[] = []
  const others: TextItem[] = []
  const tight = items.map((item) => ({ ...item, text: item.text.trim().replaceAll(SPACES_IN_RUN, '') }))
  for (const item of tight.toSorted((a, b) => a.x - b.x)) {
    if (!BEGINS_WITH_RUN.test(item.text)) {
      others.push(item)
      continue
    }
    const at = runs.findIndex((run) => continues(run, item))
    const run = runs[at]
    if (run === undefined) runs.push(item)
    else runs[at] = joined(run, item)
  }
  return [...runs, ...others]
}

function continues(run: TextItem, item: TextItem): boolean {
  if (!ENDS_IN_RUN.test(run.text)) return false
  const gap = item.x - (run.x + run.width)
  const height = Math.max(run.height, item.height)
  return Math.abs(gap) < GAP * height && (holdsMiddle(run, item) || holdsMiddle(item, run))
}

function holdsMiddle(line: TextItem, item: TextItem): boolean {
  const middle = item.y + item.height / 2
  return middle > line.y - RIM * line.height && middle < line.y + (1 + RIM) * line.height
}

/** One item for two; its confidence is their mean over letters. */
function joined(run: TextItem, item: TextItem): TextItem {
  const [y, end] = [Math.min(run.y, item.y), Math.max(run.y + run.height, item.y + item.height)]
  const text = run.text + item.text
  const sum = (run.confidence ?? 0) * run.text.length + (item.confidence ?? 0) * item.text.length
  const width = Math.max(run.x + run.width, item.x + item.width) - run.x
  return { ...run, text, y, width, height: end - y, confidence: sum / text.length }
}
