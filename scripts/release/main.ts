import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { modelBlockers } from './models.ts'
import { releaseNotes } from './notes.ts'
import { packRuntimes, RUNTIME_PACKAGES } from './runtimes.ts'
import { withoutDevelopmentTools } from './sbom.ts'

/*
 * `npm run release`: makes all files of a release, in a folder (--out, default `release`): the npm tarballs, the
 * container image, a CycloneDX SBOM, the notes from CHANGELOG.md, and their digests. Publishes nothing: it prints the
 * commands that do. `--tag` runs the first of them, the annotated tag of this commit, and `--publish` all. Both need a
 * clean tree, notes under the version's heading, and no tag of that version on another commit. Outdated models of the
 * engine's quality block a release; `--no-models` skips the pages of that check, if nothing is tagged. `--no-image`
 * omits the image; without a container engine it is omitted with one line.
 */

const ROOT = resolve(import.meta.dirname, '../..')
const IMAGE = process.env['SLUICE_IMAGE'] ?? 'registry.example.com/sluice'

const { values } = parseArgs({
  allowNegative: true,
  options: {
    out: { type: 'string', default: 'release' },
    image: { type: 'boolean', default: true },
    models: { type: 'boolean', default: true },
    tag: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
  },
})
const out = resolve(values.out)
const publish = values.publish && !values['dry-run']
const makeTag = (values.tag || values.publish) && !values['dry-run']

const { name, version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as Record<string, string>
const tag = `v${version}`

try {
  await release()
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}

async function release(): Promise<void> {
  const notes = releaseNotes(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'), version ?? '')
  if (notes === null)
    throw new Error(`CHANGELOG.md has no section for ${version}: write one that lists the changes for users`)
  const blockers = findBlockers(notes.heading)
  if (makeTag && blockers.length > 0) throw new Error(`not ${publish ? 'published' : 'tagged'}: ${blockers.join('; ')}`)
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  await writeFile(join(out, 'notes.md'), `# ${name} ${version}\n\n${notes.text}\n`)
  run('npm', ['pack', '--silent', '--pack-destination', out])
  await packRuntimes(out)
  const sbom = withoutDevelopmentTools(read('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']))
  await writeFile(join(out, `${name}-${version}.cdx.json`), sbom)
  const engine = values.image ? containerEngine() : null
  if (engine !== null) await buildImage(engine)
  else console.log(`image: skipped: ${values.image ? 'neither docker nor podman runs' : '--no-image'}`)
  await writeDigests()
  if (makeTag && commitOfTag() === '') {
    run('git', ['tag', '--annotate', tag, '--file', join(out, 'notes.md'), '--cleanup', 'verbatim'])
    console.log(`tag: ${tag} is commit ${read('git', ['rev-parse', '--short', `${tag}^{commit}`]).trim()}`)
  }
  const commands = publishCommands(engine)
  for (const blocker of blockers) console.log(`before publishing: ${blocker}`)
  console.log(`${out}: ${(await readdir(out)).toSorted().join(', ')}`)
  if (!publish)
    console.log(`nothing was published; to publish, run:\n${commands.map((each) => `  ${each.join(' ')}`).join('\n')}`)
  else for (const [program = '', ...args] of commands) run(program, args)
}

/** Reasons against publishing this tree. */
function findBlockers(heading: string): string[] {
  const changed = read('git', ['status', '--porcelain']).trim()
  const tagged = commitOfTag()
  return [
    ...(heading === version ? [] : [`CHANGELOG.md has the notes under "${heading}", not under "${version}"`]),
    ...(changed === '' ? [] : ['the tree has uncommitted changes']),
    ...modelBlockers(ROOT, values.models || makeTag),
    ...(tagged === '' || tagged === read('git', ['rev-parse', 'HEAD']).trim()
      ? []
      : [`the tag ${tag} names another commit: raise the version (npm version minor --no-git-tag-version)`]),
  ]
}

/** Empty if the tag does not exist. */
function commitOfTag(): string {
  return read('git', ['for-each-ref', '--format=%(*objectname)', `refs/tags/${tag}`]).trim()
}

function containerEngine(): string | null {
  for (const engine of ['docker', 'podman']) {
    try {
      read(engine, engine === 'docker' ? ['version', '--format', '{{.Server.Version}}'] : ['info'])
      return engine
    } catch {
      // Not installed, or its daemon does not run.
    }
  }
  return null
}

async function buildImage(engine: string): Promise<void> {
  run('sh', [join(ROOT, 'scripts/containers/base-images.sh'), engine])
  run(engine, ['build', '--quiet', '--build-arg', `VERSION=${version}`, '--tag', `${IMAGE}:${version}`, ROOT])
  const half = join(out, 'image.half')
  run(engine, ['save', '--output', half, `${IMAGE}:${version}`])
  await rename(half, join(out, `${name}-${version}-image.tar`))
}

/** Digests in the format of `sha256sum --check`. */
async function writeDigests(): Promise<void> {
  const lines: string[] = []
  for (const file of (await readdir(out)).toSorted()) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(out, file)), hash)
    lines.push(`${hash.digest('hex')}  ${file}\n`)
  }
  await writeFile(join(out, 'SHA256SUMS'), lines.join(''))
}

function publishCommands(engine: string | null): string[][] {
  return [
    ...(commitOfTag() === ''
      ? [['git', 'tag', '--annotate', tag, '--file', join(out, 'notes.md'), '--cleanup', 'verbatim']]
      : []),
    ['git', 'push', 'origin', tag],
    // The package comes last: before its runtimes exist, others could publish their names.
    ...[...RUNTIME_PACKAGES, name].map((each) => ['npm', 'publish', join(out, `${each}-${version}.tgz`)]),
    ...(engine === null ? [] : [[engine, 'push', `${IMAGE}:${version}`]]),
  ]
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] })
}

function read(program: string, args: readonly string[]): string {
  return execFileSync(program, args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  })
}
