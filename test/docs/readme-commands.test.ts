import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openS3Client } from '#src/s3/client.ts'
import { freePort } from '../support/free-port.ts'
import { GeneratedSite } from '../support/generated-site.ts'
import { startTestRedis } from '../support/redis.ts'
import { type S3Server, startS3Server } from '../support/s3-server.ts'
import { MAIN } from '../support/sluice.ts'
import { startQueue } from '../support/sqs-queue.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { openSite } from '../support/web-site.ts'
import { commandsIn, ROOT } from './pages.ts'
import { after, until } from '../support/wait.ts'

/*
 * Every command of README.md, in its order, as a shell runs it: on real folders, a real object store, a queue, a website and a service. Only
 * addresses and ports replace those that the page names.
 */

const README = await readFile(join(ROOT, 'README.md'), 'utf8')
const COMMANDS = commandsIn({ path: 'README.md', text: README })

/** Commands that go on until they are stopped, with the line that says that they are at work. */
const LONG_RUNNING: readonly (readonly [command: RegExp, ready: RegExp])[] = [
  [/sluice watch/, /Ctrl-C to stop/],
  [/sluice work/, /\S/],
  [/sluice view/, /http:\/\/127/],
  [/sluice engine/, /http:\/\/127/],
]

/** Far more than any of them takes; a command that hangs is named. */
const COMMAND_MS = 60_000

interface Sandbox {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Texts of the page, each with its replacement. */
  readonly instead: readonly (readonly [text: string, other: string])[]
}

async function runInShell(command: string, { cwd, env, instead }: Sandbox): Promise<string | null> {
  const text = instead.reduce((line, [from, to]) => line.replace(from, to), command)
  const child = spawn('bash', ['-c', `exec env ${text}`], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (said += part))
  const ended = once(child, 'close')
  using _limit = after(COMMAND_MS, () => child.kill('SIGKILL'))
  const [, ready] = LONG_RUNNING.find(([longRunning]) => longRunning.test(command)) ?? []
  if (ready !== undefined) {
    const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
    await until(`${command} says that it is ready`, COMMAND_MS, () => ready.test(said) || hasEnded())
    child.kill('SIGINT')
  }
  const [code] = (await ended) as [number | null]
  const expected = ready === undefined ? [0] : [0, 130]
  return expected.includes(code ?? -1) ? null : `${text} exited with ${code}:\n${said}`
}

async function sandboxOf(server: S3Server, folder: string): Promise<Sandbox> {
  for (const name of ['papers', 'inbox', 'scans', 'web']) await mkdir(join(folder, 'home', name), { recursive: true })
  await copyFile(join(ROOT, 'samples/lock-inspection.docx'), join(folder, 'home/papers/inspection.docx'))
  await copyFile(join(ROOT, 'samples/boat-passages.csv'), join(folder, 'home/inbox/passages.csv'))
  await copyFile(join(ROOT, 'samples/scan.pdf'), join(folder, 'home/scans/scan.pdf'))
  await copyFile(join(ROOT, 'samples/stoppage-notice.html'), join(folder, 'home/web/notice.html'))
  await writeFile(join(folder, 'sluice'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`)
  await chmod(join(folder, 'sluice'), 0o755)
  await writeFile(join(folder, 'sluice.yaml'), 'pipelines:\n  papers:\n    source: home/papers\n    out: from-file\n')
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: join(folder, 'home'),
    SLUICE_CACHE_DIR: join(ROOT, 'node_modules/.cache/sluice'),
    SLUICE_ALLOW_PRIVATE_ADDRESSES: 'true',
    SLUICE_ENGINE_ALLOW_PRIVATE_ADDRESSES: 'true',
    SLUICE_S3_ENDPOINT: server.endpoint,
    SLUICE_S3_REGION: server.region,
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
  }
  return { cwd: folder, env, instead: [] }
}

const server = await startS3Server()
const without = server.kind === 'unavailable' ? ` (not here: ${server.reason})` : ''

test.skipIf(server.kind === 'unavailable')(
  `every command of README.md runs as it stands there${without}`,
  { timeout: 400_000 },
  async () => {
    if (server.kind === 'unavailable') throw new Error(server.reason)
    await using running = server
    await using folder = await tempFolder()
    await using redis = await startTestRedis()
    await using queue = await startQueue()
    await using site = await GeneratedSite.open({ seed: 7, pages: 5 })
    await using service = await openSite((path) => (path === '/v2/parse' ? PARSED : { status: 404, body: '{}' }))
    const client = openS3Client(running)
    await client.send(new CreateBucketCommand({ Bucket: 'bucket' }))
    for (const key of ['prefix/a.csv', 'in/b.csv'])
      await client.send(new PutObjectCommand({ Bucket: 'bucket', Key: key, Body: 'name,count\nlock,7\n' }))
    client.destroy()
    const sandbox = await sandboxOf(running, folder.path)
    await writeFile(join(folder.path, 'pages.txt'), `${site.url}/\n`)
    const instead = [
      ['--sqs-queue https://…', `--sqs-queue ${queue.url}`],
      ['https://docs.example.com', site.url],
      ['--port 3002', `--port ${await freePort()}`],
      ['PARSE_API_URL=https://…', `PARSE_API_URL=${service.url}`],
      ['PARSE_API_KEY=…', 'PARSE_API_KEY=fc-test'],
      ['REDIS_URL=redis://…', `REDIS_URL=${redis.url}`],
    ] as const
    expect(COMMANDS.length).toBeGreaterThan(20)
    const failed: string[] = []
    for (const command of COMMANDS) {
      const problem = await runInShell(command, { ...sandbox, instead })
      if (problem !== null) failed.push(problem)
      if (command.includes('sluice pause'))
        await runInShell(command.replace('pause', 'resume'), { ...sandbox, instead })
    }
    expect(failed).toEqual([])
  },
)

const PARSED = {
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ success: true, data: { markdown: '# text', metadata: { creditsUsed: 1, statusCode: 200 } } }),
}
