import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openS3Client } from '#src/s3/client.ts'
import { GeneratedSite } from '../support/generated-site.ts'
import { startTestRedis } from '../support/redis.ts'
import { startS3Server } from '../support/s3-server.ts'
import { startScriptedService } from '../support/scripted-service.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { commandsIn, mistakesIn, pages } from './pages.ts'
import { runInShell, sandboxOf } from './shell.ts'

/*
 * Every command of the pages in docs/, in the order of its page, as a shell runs it; README.md has a test of its own. Only addresses replace
 * those that the page names. What a page shows as a mistake is refused in the words of the page.
 */

const PAGES = (await pages()).filter((page) => page.path !== 'README.md' && commandsIn(page).length > 0)

const server = await startS3Server()
const without = server.kind === 'unavailable' ? ` (not here: ${server.reason})` : ''

const collapsed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

test('the check of commands in the docs finds pages with commands and mistakes in them', () => {
  expect(PAGES.length).toBeGreaterThan(5)
  expect(PAGES.flatMap(mistakesIn).length).toBeGreaterThan(5)
})

test.skipIf(server.kind === 'unavailable').each(PAGES.map((page) => [page.path, page] as const))(
  `every command of %s runs as written${without}`,
  { timeout: 400_000 },
  async (_, page) => {
    if (server.kind === 'unavailable') throw new Error(server.reason)
    await using folder = await tempFolder()
    await using redis = await startTestRedis()
    await using site = await GeneratedSite.open({ seed: 7, pages: 5 })
    await using service = await startScriptedService()
    const client = openS3Client(server)
    for (const Bucket of ['documents', 'parsed'])
      await client.send(new CreateBucketCommand({ Bucket })).catch((error: unknown) => {
        if (!String(error).includes('BucketAlready')) throw error
      })
    await client.send(new PutObjectCommand({ Bucket: 'documents', Key: 'inbox/a.csv', Body: 'name,count\nlock,7\n' }))
    client.destroy()
    const sandbox = await sandboxOf(server, folder.path)
    // Only README.md has a settings file.
    await rm(join(folder.path, 'sluice.yaml'))
    await writeFile(join(folder.path, 'pages.txt'), `${site.url}/\n`)
    const env = { ...sandbox.env, COLUMNS: '200' }
    const fixed = [
      ['https://docs.example.com/guide', `${site.url}/`],
      ['https://docs.example.com', site.url],
      ['http://collector:4318', service.url],
      ['PARSE_API_URL=https://…', `PARSE_API_URL=${service.url}`],
      ['PARSE_API_KEY=…', 'PARSE_API_KEY=fc-test'],
      ['redis://redis:6379', redis.url],
    ] as const
    let cursor = ''
    const mistakes = new Map(mistakesIn(page).map(({ command, said }) => [command, said]))
    const failed: string[] = []
    for (const command of commandsIn(page)) {
      const instead = [...fixed, [/[0-9a-f]{8}\.1\b/.exec(command)?.[0] ?? '\u0000', cursor] as const]
      const { text, said, code, isExpected } = await runInShell(command, { ...sandbox, env, instead })
      cursor = /cursor: (\S+)/.exec(said)?.[1] ?? cursor
      const expected = mistakes.get(command)
      const isRight =
        expected === undefined
          ? isExpected
          : code === 1 && collapsed(said).includes(expected.replaceAll('/home/ada', join(folder.path, 'home')))
      if (!isRight) failed.push(`${text} exited with ${code}:\n${said}`)
    }
    expect(failed).toEqual([])
  },
)
