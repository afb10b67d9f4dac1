import { CFB } from '@e965/xlsx'
import { oleContainer } from './ole-container.ts'
import { isOle } from './locked-office.ts'

/** BOF of BIFF8 and BIFF5 begins each part of a workbook; its second field says of which kind ([MS-XLS] 2.4.21). */
const BOF = 0x0809
const CHART = 0x0020

/** Charts, chart sheets among them, in an old workbook; 0 for what is none. */
export function countXlsCharts(bytes: Buffer): number {
  if (!isOle(bytes)) return 0
  try {
    const file = oleContainer(bytes)
    const stream = Buffer.from((CFB.find(file, 'Workbook') ?? CFB.find(file, 'Book'))?.content ?? [])
    let charts = 0
    for (let offset = 0; offset + 8 <= stream.length; offset += 4 + stream.readUInt16LE(offset + 2)) {
      if (stream.readUInt16LE(offset) === BOF && stream.readUInt16LE(offset + 6) === CHART) charts += 1
    }
    return charts
  } catch {
    return 0
  }
}
