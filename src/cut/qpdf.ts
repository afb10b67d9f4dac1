import createModule from '@neslinesli93/qpdf-wasm'

/** The parts of the Emscripten build that we use; its own types name only those for a browser. */
interface QpdfModule {
  readonly callMain: (args: string[]) => number
  readonly FS: {
    /** Standard input, output and error, a byte a call; must come before the program starts. */
    readonly init: (input: () => null, output: TakeByte, error: TakeByte) => void
    readonly mkdir: (path: string) => void
    readonly mount: (type: unknown, options: { readonly root: string }, at: string) => void
    readonly unmount: (at: string) => void
  }
  readonly NODEFS: unknown
}

/** Null asks to write out what is held back. */
type TakeByte = (byte: number | null) => void

type CreateModule = (options: {
  readonly noInitialRun: true
  readonly preRun: readonly ((qpdf: QpdfModule) => void)[]
}) => Promise<QpdfModule>

export interface QpdfRun {
  readonly exitCode: 'ok' | 'error' | 'warnings'
  /** What it printed: for decisions, never for a log, because it may quote the document. */
  readonly output: string
}

/** The program `qpdf` as it was started with these arguments. */
export type Qpdf = (args: readonly string[]) => QpdfRun

/** The program with one folder of this machine, which it sees as `QPDF_FOLDER` until it is disposed of. */
export interface MountedQpdf extends Disposable {
  readonly run: Qpdf
}

export const QPDF_FOLDER = '/files'

/**
 * qpdf in WebAssembly: it reads and writes the folder's files piece by piece, so that its memory does not grow with them.
 * It runs on this thread until it is done, however long that takes: only for a process that can be killed.
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
    // The manual's exit codes: 0 as wanted, 3 as wanted with warnings, 2 not done.
    const exitCode = code === 0 ? 'ok' : code === 3 ? 'warnings' : 'error'
    return { exitCode, output: Buffer.from(printed).toString() }
  }
  return (folder) => {
    FS.mount(NODEFS, { root: folder }, QPDF_FOLDER)
    return { run, [Symbol.dispose]: () => FS.unmount(QPDF_FOLDER) }
  }
}
