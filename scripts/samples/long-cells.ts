/*
 * An xlsb sheet is a row of records: type, length of the data, data. Both numbers are in groups of seven bits, low
 * group first. A cell next to another may have a short form, without its column number. Excel never writes it, SheetJS
 * does, and readers made for Excel's files only then lose the cell.
 */

/** Short cell records (12 … 18) are 11 above their long twins, which start with the column number. */
const SHORT_FROM = 12
const SHORT_TO = 18
const TWIN_DISTANCE = 11
const ROW_HEADER = 0

/** The same sheet with every short cell in its long form. */
export function withLongCells(sheet: Uint8Array): Uint8Array {
  const records: Uint8Array[] = []
  let column = -1
  for (let at = 0; at < sheet.length;) {
    const type = readNumber(sheet, at)
    const length = readNumber(sheet, type.next)
    const end = length.next + length.value
    if (type.value === ROW_HEADER) column = -1
    const isShort = type.value >= SHORT_FROM && type.value <= SHORT_TO
    const isLong = type.value > ROW_HEADER && type.value < SHORT_FROM
    if (isLong) column = new DataView(sheet.buffer, sheet.byteOffset + length.next).getUint32(0, true)
    if (isShort) {
      column += 1
      const position = new Uint8Array(4)
      new DataView(position.buffer).setUint32(0, column, true)
      const size = length.value + position.length
      records.push(
        Uint8Array.of(type.value - TWIN_DISTANCE, ...number(size)),
        position,
        sheet.subarray(length.next, end),
      )
    } else {
      records.push(sheet.subarray(at, end))
    }
    at = end
  }
  return Buffer.concat(records)
}

function readNumber(bytes: Uint8Array, at: number): { readonly value: number; readonly next: number } {
  let value = 0
  for (let group = 0; ; group++) {
    const byte = bytes[at + group] ?? 0
    value |= (byte & 0x7f) << (7 * group)
    if (byte < 0x80) return { value, next: at + group + 1 }
  }
}

function number(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >> 7)]
}
