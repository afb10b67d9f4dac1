import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

test('a release builds tarball, SBOM, notes, digests and commands up to the step before publishing', async () => {
  await using folder = await tempFolder()
  const out = join(folder.path, 'release')
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const { stdout } = await run(
    'sh',
    ['scripts/run-node.sh', 'scripts/release/main.ts', '--no-image', '--no-models', '--out', out],
    {
      cwd: ROOT,
    },
  )
  const tarball = `sluice-${version}.tgz`
  const sbom = `sluice-${version}.cdx.json`
  const runtimes = ['darwin-arm64', 'linux-arm64', 'linux-x64'].map((platform) => `sluice-onnxruntime-${platform}`)
  const tarballs = [tarball, ...runtimes.map((name) => `${name}-${version}.tgz`)]
  expect((await readdir(out)).toSorted()).toEqual(['SHA256SUMS', 'notes.md', sbom, ...tarballs].toSorted())
  await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: out })
  const { stdout: members } = await run('tar', ['-tzf', join(out, tarball)])
  for (const name of [
    'sluice',
    'package.json',
    'SECURITY.md',
    'dist/main.js',
    'dist/engine.js',
    'dist/convert-child.js',
    'dist/lua/law.lua',
    'dist/THIRD_PARTY_NOTICES.md',
  ]) {
    expect(members).toContain(`package/${name}\n`)
  }
  await run('tar', [
    '-xzf',
    join(out, tarball),
    '--strip-components=1',
    '-C',
    folder.path,
    'package/package.json',
    'package/README.md',
  ])
  const packed = JSON.parse(await readFile(join(folder.path, 'package.json'), 'utf8')) as object
  expect(packed).toMatchObject({
    dependencies: expect.not.objectContaining({ bullmq: expect.anything() }),
    optionalDependencies: Object.fromEntries(runtimes.map((name) => [name, version])),
  })
  for (const runtime of tarballs.slice(1)) {
    const { stdout: files } = await run('tar', ['-tzf', join(out, runtime)])
    expect(files.split('\n').filter((file) => /\.node$|libonnxruntime/.test(file)).length).toBe(2)
    const { stdout: ofRuntime } = await run('tar', ['-xzOf', join(out, runtime), 'package/package.json'])
    expect(JSON.parse(ofRuntime)).not.toHaveProperty('scripts')
  }
  const { stdout: code } = await run('sh', [
    '-c',
    'tar -xzOf "$0" --wildcards "package/dist/*.js" | grep -o "import(.sluice-onnxruntime"',
    join(out, tarball),
  ])
  expect(code).not.toBe('')
  const { stdout: notices } = await run('tar', ['-xzOf', join(out, tarball), 'package/dist/THIRD_PARTY_NOTICES.md'])
  expect(notices).toMatch(/PaddleOCR[^]*Apache-2\.0[^]*PaddlePaddle Authors/)
  expect(notices).toContain('END OF TERMS AND CONDITIONS')
  expect(await readFile(join(folder.path, 'README.md'), 'utf8')).not.toMatch(/\]\((?!https:)/)
  const { bomFormat, components } = JSON.parse(await readFile(join(out, sbom), 'utf8')) as {
    readonly bomFormat: string
    readonly components: readonly { readonly name: string; readonly version: string }[]
  }
  const manifests = await Promise.all(
    ['package.json', 'packages/engine/package.json'].map((path) => readFile(join(ROOT, path), 'utf8')),
  )
  const wanted = manifests.flatMap((json) => {
    const { dependencies } = JSON.parse(json) as { readonly dependencies: Readonly<Record<string, string>> }
    return Object.entries(dependencies).filter(([name]) => !name.startsWith('@sluice/'))
  })
  expect(bomFormat).toBe('CycloneDX')
  const listed = new Set(components.map((each) => `${each.name}@${each.version}`))
  expect(wanted.filter(([name, own]) => !listed.has(`${name}@${own}`))).toEqual([])
  const names = components.map(({ name }) => name)
  expect(names).not.toContain('vitest')
  expect(names).not.toContain('rolldown')
  expect(await readFile(join(out, 'notes.md'), 'utf8')).toMatch(new RegExp(`^# sluice ${version}\n\n(?:### .+\n\n)?- `))
  const published = [...stdout.matchAll(/npm publish (.+)/g)].map(([, file = '']) => file)
  expect(published.toSorted()).toEqual(tarballs.map((file) => join(out, file)).toSorted())
  expect(published.at(-1)).toBe(join(out, tarball))
}, 480_000)
