import { PutObjectCommand } from '@aws-sdk/client-s3'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { GeneratedSite } from '../support/generated-site.ts'
import { startTestRedis } from '../support/redis.ts'
import { startS3Server } from '../support/s3-server.ts'
import { startQueue } from '../support/sqs-queue.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { openSite } from '../support/web-site.ts'
import { commandsIn, ROOT } from './pages.ts'
import { runInShell, sandboxOf } from './shell.ts'

/*
 * Every command of README.md, in its order, as a shell runs it: on real folders, a real object store, a queue, a website and a service. Only
 * addresses and ports replace those that the page names.
 */

const README = await readFile(join(ROOT, 'README.md'), 'utf8')
const COMMANDS = commandsIn({ path: 'README.md', text: README })

const server = await startS3Server()
const without = server.kind === 'unavailable' ? ` (not here: ${server.reason})` : ''

test.skipIf(server.kind === 'unavailable')(
  `every command of README.md runs as written${without}`,
  { timeout: 400_000 },
  async () => {
    if (server.kind === 'unavailable') throw new Error(server.reason)
    await using running = server
    await using folder = await tempFolder()
    await using redis = await startTestRedis()
    await using queue = await startQueue()
    await using site = await GeneratedSite.open({ seed: 7, pages: 5 })
    await using service = await openSite((path) => (path === '/v2/parse' ? PARSED : { status: 404, body: '{}' }))
    await running.newBucket('bucket')
    for (const key of ['prefix/a.csv', 'in/b.csv'])
      await running.client.send(new PutObjectCommand({ Bucket: 'bucket', Key: key, Body: 'name,count\nlock,7\n' }))
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
      const { text, said, code, isExpected } = await runInShell(command, { ...sandbox, instead })
      if (!isExpected) failed.push(`${text} exited with ${code}:\n${said}`)
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
