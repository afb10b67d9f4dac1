import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LiteParse } from '@llamaindex/liteparse'
import { expect, test } from 'vitest'
import { shared } from '../../../../test/support/shared.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { wrapImage } from '../../src/images/wrap-image.ts'
import { countImagePages } from '../../src/images/count-image-pages.ts'
import { decodeChannels } from '../../src/pdf/ink/decode-png.ts'
import { imageBytes, NAMES } from './support.ts'

const { path: folder } = await shared(tempFolder())

async function wrapped(name: string, bytes = imageBytes(name)) {
  const path = join(folder, name)
  await writeFile(path, bytes)
  return { ...(await wrapImage(path, `${path}.pdf`)), path, pdf: `${path}.pdf` }
}

/** Draws a page with 160 pixels across. */
async function drawn(pdf: string, page = 1) {
  const { width } = (await new LiteParse({ ocrEnabled: false, quiet: true }).parse(pdf)).pages[page - 1] ?? { width: 1 }
  const [sheet] = await new LiteParse({ dpi: (160 * 72) / width, quiet: true }).screenshot(pdf, [page])
  return decodeChannels(sheet?.imageBuffer ?? Buffer.alloc(0), [0])
}

const reference = await drawn((await wrapped('rgb.png')).pdf)

/** Share of pixels whose brightness differs by more than a third. */
function difference(sheet: typeof reference): number {
  const [one, other] = [sheet.planes[0] ?? [], reference.planes[0] ?? []]
  let differing = 0
  for (const [at, value] of one.entries()) if (Math.abs(value - (other[at] ?? 0)) > 85) differing += 1
  return differing / one.length
}

/** Sets the number of bytes of each strip to zero, as in a file of a program that was killed. */
function withoutStrips(tiff: Buffer): Buffer {
  const [at, bytes] = [tiff.indexOf(Buffer.from([0x17, 0x01])), Buffer.from(tiff)]
  bytes.fill(0, at + 8, at + 12)
  return bytes
}

test.each(NAMES)('the page of %s shows the picture upright', async (name) => {
  const { pdf, pages } = await wrapped(name)
  expect(pages).toBe(name.startsWith('three') ? 3 : 1)
  const sheet = await drawn(pdf)
  expect([sheet.width, sheet.height]).toEqual([reference.width, reference.height])
  expect(difference(sheet)).toBeLessThan(0.03)
})

test('each page of a TIFF becomes a page, and the count needs no pixels', async () => {
  const { path, pages } = await wrapped('three-pages.tif')
  expect(pages).toBe(3)
  expect(countImagePages(path)).toBe(3)
})

test('an animation names its unread frames', async () => {
  expect((await wrapped('frames.gif')).warning).toBe('The image has 2 frames, and only the first one was read.')
})

test.each(['rgb.jpg', 'rgb.png', 'rgb.gif'])(
  '%s without its end warns that a part of the picture is missing',
  async (name) => {
    const bytes = imageBytes(name)
    const cut = await wrapped(`cut-${name}`, bytes.subarray(0, bytes.length - (name.endsWith('png') ? 12 : 2)))
    expect(cut.warning).toBe('The image file is cut off, so a part of the picture is missing.')
    expect((await wrapped(`long-${name}`, Buffer.concat([bytes, Buffer.alloc(100)]))).warning).toBeNull()
  },
)

test.each([
  ['an unknown format', Buffer.from('hello, world'), 'its format is unknown'],
  ['a JPEG that is cut off', imageBytes('rgb.jpg').subarray(0, 100), 'The image is damaged'],
  ['a TIFF that is cut off', imageBytes('group4.tif').subarray(0, 60), 'The image is damaged'],
  ['a TIFF whose strips were never written', withoutStrips(imageBytes('group4.tif')), 'The image is damaged'],
  ['a PNG without pixels', imageBytes('rgb.png').subarray(0, 40), 'The image is damaged'],
  ['an AVIF that is cut off', imageBytes('rgb.avif').subarray(0, 300), 'The image is damaged'],
])('%s is refused with a reason', async (_, bytes, message) => {
  await expect(wrapped('hostile', bytes)).rejects.toThrow(message)
})

test('an image with too many pixels is refused before its pixels are read', async () => {
  const png = imageBytes('alpha.png')
  png.writeUInt32BE(90_000, 16)
  png.writeUInt32BE(90_000, 20)
  await expect(wrapped('huge.png', png)).rejects.toThrow('too many pixels')
})
