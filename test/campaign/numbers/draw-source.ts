import { execFile } from 'node:child_process'
import { appendFile, link, lstat, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import type { Random } from '../../support/random.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { zip } from '../../support/zip.ts'
import { markOf } from '../world/archive.ts'

const run = promisify(execFile)

const FOLDERS = ['', '', 'sub', 'sub/deep', 'other', 'dropped', '.hidden', '__MACOSX'] as const
const NAMES = {
  document: ['a.html', 'b.csv', 'c.htm', 'dropme.html', 'é ü.html'],
  text: ['note.md', 'read me.txt', 'dropped.md', 'LONG.MARKDOWN'],
  other: ['photo.psd', 'data.bin', 'README', '.secret.html', '~$a.docx', 'Thumbs.db', 'x.part', 'mail.eml'],
} as const

/** An archive there is not opened. */
const HIDDEN = /^\.|\/\.|__MACOSX/
const SYSTEM = /__MACOSX/

/** Draws a source, changes it between runs, and can be asked what it holds without Sluice. */
export class DrawnSource {
  readonly path: string
  readonly #random: Random
  /** Key of each archive → its members, folders left out; an empty one counts as none. */
  readonly #archives = new Map<string, number>()
  #made = 0

  constructor(path: string, random: Random) {
    this.path = path
    this.#random = random
  }

  async fill(): Promise<void> {
    await mkdir(this.path, { recursive: true })
    for (let left = 10 + this.#random.below(25); left > 0; left -= 1) await this.#add()
  }

  /** Edits, additions, deletions, renames, and files that other things replace. */
  async change(): Promise<void> {
    for (let left = this.#random.below(8); left > 0; left -= 1) {
      const files = await this.#files()
      const file = files.length === 0 ? null : this.#random.pick(files)
      const what = this.#random.below(7)
      if (file === null || what < 2) await this.#add()
      else if (what === 2) await rm(file)
      else if (what === 3) await this.#edit(file)
      else if (what === 4) await rename(file, join(dirname(file), `${(this.#made += 1)}-${this.#name('document')}`))
      else if (what === 5) await this.#replace(file)
      else await this.#edit(file)
    }
  }

  async #add(): Promise<void> {
    const at = join(this.path, this.#random.pick(FOLDERS), `${(this.#made += 1)}-`)
    await mkdir(dirname(at), { recursive: true })
    const what = this.#random.below(20)
    if (what < 8) return writeFile(at + this.#name('document'), this.#content())
    if (what < 11) return writeFile(at + this.#name('text'), this.#text())
    if (what < 15) return writeFile(join(dirname(at), this.#name('other')), 'no document')
    if (what === 15) return this.#link(at)
    if (what === 16) return void (await run('mkfifo', [`${at}pipe.html`]))
    if (what === 17) return this.#zip(`${at}m.zip`)
    if (what === 18) return this.#tar(`${at}m.tar`)
    return writeFile(join(dirname(at), '.sluiceignore'), this.#random.pick(['*.csv\n', 'sub\n', '!*.csv\n']))
  }

  /** Contents repeat, so that copies share a receipt; one that is rejected never does. */
  #content(): string {
    const what = this.#random.below(12)
    if (what === 0) return ''
    if (what === 1) return markOf('rejected', String((this.#made += 1)))
    if (what === 2) return markOf('partial', String(this.#random.below(4)))
    return `<p>${this.#random.below(14)}`
  }

  #text(): string | Buffer {
    return this.#random.below(5) === 0 ? Buffer.from([0, 1, 2, 0, 255]) : `text ${this.#random.below(8)}\n`
  }

  #name(kind: keyof typeof NAMES): string {
    return this.#random.pick<string>(NAMES[kind])
  }

  #members(): Record<string, string | Buffer> {
    const members: Record<string, string | Buffer> = {}
    for (let left = this.#random.below(5); left > 0; left -= 1) {
      const folder = this.#random.pick(['', 'in/', '../..', 'sub/', '.git/', '/'])
      members[`${folder}${this.#name('document')}`] = this.#content()
      if (this.#random.below(2) === 0) members[`${folder}${this.#name('text')}`] = this.#text()
      if (this.#random.below(3) === 0) members[`${folder}${this.#name('other')}`] = 'x'
      if (this.#random.below(6) === 0) members['inner.zip'] = zip({ 'a.html': 'x' })
    }
    return members
  }

  async #zip(at: string): Promise<void> {
    const members = this.#members()
    this.#archives.set(relative(this.path, at), Object.keys(members).length)
    await writeFile(at, zip(members))
  }

  async #tar(at: string): Promise<void> {
    await using made = await tempFolder()
    await writeFile(join(made.path, 'a.html'), this.#content())
    await writeFile(join(made.path, 'b.md'), this.#text())
    await link(join(made.path, 'a.html'), join(made.path, 'c.html'))
    await symlink('a.html', join(made.path, 'd.html'))
    await run('tar', ['-cf', at, '-C', made.path, 'a.html', 'b.md', 'c.html', 'd.html'])
    const twice = this.#random.below(2) === 0
    if (twice) await run('tar', ['-rf', at, '-C', made.path, 'b.md'])
    this.#archives.set(relative(this.path, at), twice ? 5 : 4)
  }

  async #link(at: string): Promise<void> {
    const files = await this.#files()
    const target = files.length === 0 ? '/nowhere' : this.#random.pick(files)
    const what = this.#random.below(4)
    if (what === 0) await symlink(target, `${at}link.html`)
    else if (what === 1) await symlink(dirname(target), `${at}linked`)
    else if (what === 2) await symlink('/nowhere/at all', `${at}dangling.html`)
    else if (target !== '/nowhere') await link(target, `${at}hard.html`)
  }

  async #edit(file: string): Promise<void> {
    if (/\.(?:zip|tar)$/.test(file)) return rm(file)
    // A new file of that name: a hard link keeps what it had.
    const more = /\.(?:md|txt|markdown)$/i.test(file) ? this.#text() : this.#content()
    await rm(file)
    await writeFile(file, more)
    if (this.#random.below(3) === 0) await appendFile(file, ' ')
  }

  async #replace(file: string): Promise<void> {
    await rm(file)
    await symlink('/nowhere', file)
  }

  /** Regular files, by their paths. */
  async #files(): Promise<string[]> {
    const dirents = await readdir(this.path, { recursive: true, withFileTypes: true })
    return dirents
      .filter((dirent) => dirent.isFile())
      .map((dirent) => join(dirent.parentPath, dirent.name))
      .toSorted()
  }

  /**
   * How many files it holds, counted without Sluice: links, pipes and what is no document included; of an archive that is
   * opened its members. Folders that a rule leaves out are counted by themselves: `excluded` is such a name.
   */
  async count(
    { archives, hidden }: { archives: boolean; hidden: boolean },
    excluded: RegExp | null,
  ): Promise<{ files: number; leftOut: number }> {
    const counted = { files: 0, leftOut: 0 }
    const visit = async (folder: string, rulesAbove: boolean): Promise<void> => {
      const names = await readdir(join(this.path, folder))
      // It may be a symbolic link.
      const ignored = await readFile(join(this.path, folder, '.sluiceignore'), 'utf8').catch(() => '')
      const rules = rulesAbove || ignored === 'sub\n'
      for (const name of names) {
        const key = join(folder, name)
        const stats = await lstat(join(this.path, key))
        const isOpened = archives && stats.isFile() && !(hidden ? SYSTEM : HIDDEN).test(key)
        if (!stats.isDirectory()) counted.files += isOpened ? (this.#archives.get(key) ?? 1) : 1
        else if (excluded?.test(name) === true || (rules && name === 'sub')) counted.leftOut += 1
        else await visit(key, rules)
      }
    }
    await visit('', false)
    return counted
  }
}
