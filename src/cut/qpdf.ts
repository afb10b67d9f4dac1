import createModule from '@neslinesli93/qpdf-wasm'

/** The parts of the Emscripten build in use; its own types cover the browser only. */
interface QpdfModule {
  readonly callMain: (args: string[]) => number
  readonly FS: {
    /** Standard input, output and error, a byte per call; set before the program starts. */
    readonly init: (input: () => null, output: TakeByte, error: TakeByte) => void
    readonly mkdir: (path: string) => void
    readonly mount: (type: unknown, options: { readonly root: string }, at: string) => void
    readonly unmount: (at: string) => void
  }
  readonly NODEFS: unknown
}

/** Null flushes the buffer. */
type TakeByte = (byte: number | null) => void

type CreateModule = (options: {
  readonly noInitialRun: true
  readonly preRun: readonly ((qpdf: QpdfModule) => void)[]
}) => Promise<QpdfModule>

export interface QpdfRun {
  readonly exitCode: 'ok' | 'error' | 'warnings'
  /** Output of the program: for decisions, never for a log, because it may quote the document. */
  readonly output: string
}

/** The program `qpdf` with these arguments. */
export type Qpdf = (args: readonly string[]) => QpdfRun

/** The program with a mounted folder of this machine, `QPDF_FOLDER` inside, until disposal. */
export interface MountedQpdf extends Disposable {
  readonly run: Qpdf
}

export const QPDF_FOLDER = '/files'

/**
 * qpdf in WebAssembly: it streams the folder's files, so its memory does not grow with them. It blocks this thread
 * until it is done, for any time: only for a process that can be killed.
 */
export async function openQpdf(): Promise<(folder: string) => MountedQpdf> {
  let printed: number[] = []
  const take: TakeByte = (byte) => void (byte === null || printed.push(byte))
  const preRun = [({ FS }: QpdfModule) => FS.init(() => null, take, take)]
  const { FS, NODEFS, callMain } = await (createModule as unknown as CreateModule)({ noInitialRun: true, preRun })
  FS.mkdir(QPDF_FOLDER)
  const run: Qpdf = (args) => {
    printed = []
    const code = callMain([...args])
    // Exit codes of the manual: 0 success, 3 success with warnings, 2 failure.
    const exitCode = code === 0 ? 'ok' : code === 3 ? 'warnings' : 'error'
    return { exitCode, output: Buffer.from(printed).toString() }
  }
  return (folder) => {
    FS.mount(NODEFS, { root: folder }, QPDF_FOLDER)
    return { run, [Symbol.dispose]: () => FS.unmount(QPDF_FOLDER) }
  }
}
