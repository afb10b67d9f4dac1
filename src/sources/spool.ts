import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Bytes from far away, kept in a temporary file to be read any number of times. */
export interface Spool extends AsyncDisposable {
  read(signal: AbortSignal): AsyncIterable<Uint8Array>
}

const CHUNK_BYTES = 256 * 1024

/** Throws when there are more or fewer than `bytes` bytes. The file has no name, so that a kill leaves nothing. */
export async function spool(
  body: AsyncIterable<Uint8Array>,
  bytes: number,
  folder: string,
  signal: AbortSignal,
): Promise<Spool> {
  const path = join(folder, `sluice-spool-${randomUUID()}`)
  const handle = await open(path, 'wx+', 0o600)
  try {
    await unlink(path)
    let position = 0
    for await (const chunk of body) {
      signal.throwIfAborted()
      for (let at = 0; at < chunk.length;)
        at += (await handle.write(chunk, at, chunk.length - at, position + at)).bytesWritten
      position += chunk.length
    }
    if (position !== bytes) throw new Error(`${position} bytes came where ${bytes} were announced`)
    return { read: (reading) => readFile(handle, bytes, reading), [Symbol.asyncDispose]: () => handle.close() }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function* readFile(handle: FileHandle, bytes: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < bytes;) {
    signal.throwIfAborted()
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, bytes - position))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) throw new Error('the temporary copy of the document was cut off')
    position += bytesRead
    yield chunk.subarray(0, bytesRead)
  }
}
