import { TempFile } from './temp-file.ts'

/** Downloads bytes to the disk. Throws if their number differs from `bytes`. */
export async function spool(
  body: AsyncIterable<Uint8Array>,
  bytes: number,
  folder: string,
  signal: AbortSignal,
): Promise<TempFile> {
  const file = await TempFile.open(folder)
  try {
    for await (const chunk of body) {
      signal.throwIfAborted()
      await file.append(chunk)
      if (file.length > bytes) break
    }
    if (file.length !== bytes) throw new Error(`the source announced ${bytes} bytes and sent ${file.length}`)
    return file
  } catch (error) {
    await file[Symbol.asyncDispose]()
    throw error
  }
}
