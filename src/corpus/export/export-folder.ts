import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve, relative, sep } from 'node:path'
import { FIGURES_FOLDER } from '#src/corpus/export/add-images.ts'
import { SetupError } from '#src/document/setup-error.ts'
import type { ExportedFile, RowsFile } from './export-manifest.ts'
import { JsonLinesFile } from './json-lines-file.ts'
import { ParquetFile } from './parquet-file.ts'
import { fileURLToPath } from 'node:url'

const MANIFEST = 'manifest.json'

/**
 * A folder that is written under a temporary name and replaces the former one by renames, manifest included. After a
 * crash the former one is under its name or a temporary one. The next export of the folder restores it and removes the
 * incomplete one.
 */
export class ExportFolder implements AsyncDisposable {
  readonly #path: string
  readonly #aside: string
  readonly #files: RowsFile[] = []
  #images: Promise<void> | null = null

  private constructor(path: string, aside: string) {
    this.#path = path
    this.#aside = aside
  }

  /** @throws {SetupError} if anything other than an export is at `to` */
  static async open(to: string): Promise<ExportFolder> {
    // A link keeps its name: its target is exchanged.
    const path = await realpath(to).catch(() => resolve(to))
    await mkdir(dirname(path), { recursive: true })
    await finishFormer(path)
    await refuseOthers(path, to)
    const aside = `${path}${PARTIAL}${process.pid}-${randomBytes(4).toString('hex')}`
    await mkdir(aside)
    return new ExportFolder(path, aside)
  }

  /** Creates a file; its extension decides the format: `.jsonl`, or `.parquet` with these columns. */
  async create(name: string, columns?: ReadonlySet<string>): Promise<RowsFile> {
    const path = join(this.#aside, name)
    const file = name.endsWith('.parquet') ? await ParquetFile.create(path, columns) : await JsonLinesFile.create(path)
    this.#files.push(file)
    return file
  }

  /** Saves an image as `figures/` and its name. */
  async saveImage(name: string, png: Uint8Array): Promise<void> {
    await (this.#images ??= mkdir(join(this.#aside, FIGURES_FOLDER)))
    await writeFlushed(join(this.#aside, name), png)
  }

  /** Replaces the former folder. The caller closes the files first. */
  async publish(manifest: object): Promise<void> {
    await writeFlushed(join(this.#aside, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
    const former = `${this.#path}${FORMER}`
    await rename(this.#path, former).catch(ignoreMissing)
    await rename(this.#aside, this.#path)
    await rm(former, { recursive: true, force: true })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#files) await file.abandon()
    // Images in flight at the end of an export may still arrive.
    await rm(this.#aside, { recursive: true, force: true, maxRetries: 5 })
  }
}

const PARTIAL = '.partial-'
const FORMER = '.former'

/** Recovers from a crash: restores a former export without a successor. */
async function finishFormer(path: string): Promise<void> {
  const beside = await readdir(dirname(path))
  const name = basename(path)
  if (beside.includes(`${name}${FORMER}`)) {
    if (beside.includes(name)) await rm(`${path}${FORMER}`, { recursive: true, force: true })
    else await rename(`${path}${FORMER}`, path)
  }
  for (const other of beside.filter((each) => each.startsWith(`${name}${PARTIAL}`))) {
    const pid = Number(other.slice(name.length + PARTIAL.length).split('-')[0])
    if (!isAlive(pid)) await rm(join(dirname(path), other), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

async function refuseOthers(path: string, to: string): Promise<void> {
  const names = await readdir(path).catch((error: unknown): string[] => {
    if (codeOf(error) === 'ENOENT') return []
    if (codeOf(error) === 'ENOTDIR') throw new SetupError(`--to ${to} is a file: give a folder`, { cause: error })
    throw error
  })
  if (names.length === 0) return
  const written = names.includes(MANIFEST) ? filesOf(await readFile(join(path, MANIFEST), 'utf8')) : null
  const images = written?.includes(FIGURES_FOLDER) === true ? await imagesIn(path) : []
  if (written === null) {
    throw new SetupError(`--to ${to} is not empty and holds no export: name another folder. Nothing was changed`)
  }
  const foreign = [
    ...names.filter((name) => name !== MANIFEST && !written.includes(name)),
    ...images.filter((name) => !IMAGE.test(name)),
  ]
  if (foreign.length > 0) {
    throw new SetupError(
      `--to ${to} holds ${JSON.stringify(foreign[0])}, which is not part of the export: move it, or name another folder. Nothing was changed`,
    )
  }
}

const IMAGE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-\d+)?\.png$/

/** An export without figures has no such folder. */
const imagesIn = (path: string): Promise<readonly string[]> => readdir(join(path, FIGURES_FOLDER)).catch(() => [])

interface Listed {
  readonly kind?: string
  readonly files?: readonly ExportedFile[]
  readonly figures?: object | null
}

/** Names of the files in a manifest; null if the file is not a manifest of an export. */
function filesOf(json: string): readonly string[] | null {
  try {
    const { kind, files = [], figures = null } = JSON.parse(json) as Listed
    const names = files.map(({ name }) => name)
    return kind === 'chunks' ? [...names, ...(figures === null ? [] : [FIGURES_FOLDER])] : null
  } catch {
    return null
  }
}

async function writeFlushed(path: string, content: string | Uint8Array): Promise<void> {
  await using file = await open(path, 'wx')
  await file.writeFile(content)
  await file.sync()
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

function ignoreMissing(error: unknown): void {
  if (codeOf(error) !== 'ENOENT') throw error
}

/** Top-level names of a store in a folder. */
const OF_STORE = new Set(['documents', 'receipts', 'failures', 'changes', 'contexts', '.sluice', 'store.json'])

/** @throws {SetupError} if `to` is the store's own folder, a parent of it, or a path in it that the store manages */
export async function refuseInsideStore(to: string, storeUrl: string): Promise<void> {
  if (!storeUrl.startsWith('file:')) return
  const store = await realpath(fileURLToPath(storeUrl))
  const path = await resolved(resolve(to))
  const below = relative(store, path)
  const isAround = relative(path, store).split(sep)[0] !== '..'
  const isOwn = below.split(sep)[0] !== '..' && OF_STORE.has(below.split(sep)[0] ?? '')
  if (!isAround && !isOwn) return
  throw new SetupError(`--to ${to} belongs to the store in ${store}: name another folder. Nothing was changed`)
}

/** Resolves links, even if the last segments are absent. */
async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (path === dirname(path)) throw error
    return join(await resolved(dirname(path)), basename(path))
  }
}
