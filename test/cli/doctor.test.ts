import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openProxy } from '../support/silent-server.ts'
import { startTestRedis } from '../support/redis.ts'
import { startScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { openSite } from '../support/web-site.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { parseLines } from '../support/json-lines.ts'

interface Line {
  readonly event: string
  readonly level?: string
  readonly subject?: string
  readonly message?: string
  readonly remedy?: string | null
  readonly problems?: number
}

async function doctor(
  args: readonly string[],
  env: Record<string, string>,
): Promise<{ lines: Line[]; code: number | null }> {
  const { stdout, code } = await sluice(['doctor', '--no-config', '--json', ...args], { env })
  return {
    lines: parseLines(stdout),
    code,
  }
}

const creditsLeft = (remainingCredits: number) => ({ status: 200, body: { success: true, data: { remainingCredits } } })

describe('sluice doctor', () => {
  test('reports no problem for a working Redis, folder and service, and leaves no file', async () => {
    await using folder = await tempFolder()
    await using redis = await startTestRedis()
    await using service = await startScriptedService({ account: creditsLeft(500) })
    const env = { REDIS_URL: redis.url, PARSE_API_URL: service.url, PARSE_API_KEY: 'key' }
    const out = join(folder.path, 'corpus')
    await mkdir(out)
    const { lines, code } = await doctor(['--out', out], env)
    expect(lines.filter(({ level }) => level === 'problem')).toEqual([])
    expect(code).toBe(0)
    const reported = lines.map(({ message }) => message)
    expect(reported).toEqual(expect.arrayContaining(['eviction: none', `${out} can be written`, '500 credits left']))
    expect(reported).toContain('PP-OCRv4 reads scans')
    expect(await readdir(out)).toEqual([])
  })

  test('warns of a missing converter when a service parses, and reports a problem when none does', async () => {
    await using folder = await tempFolder()
    await using redis = await startTestRedis()
    await using service = await startScriptedService({ account: creditsLeft(500) })
    const hook = `import { registerHooks } from 'node:module'
      registerHooks({ resolve(name, context, next) { return next(name.replace('@firecrawl/anydoc', '@firecrawl/gone'), context) } })`
    const NODE_OPTIONS = `--disable-warning=ExperimentalWarning --import data:text/javascript,${encodeURIComponent(hook)}`
    const env = { REDIS_URL: redis.url, NODE_OPTIONS }
    const converters = ({ subject }: Line): boolean => subject === 'converters'
    const served = await doctor(['--out', folder.path], { ...env, PARSE_API_URL: service.url, PARSE_API_KEY: 'key' })
    expect(served.lines.filter(converters)).toMatchObject([
      { level: 'warning', message: expect.stringContaining('@firecrawl/gone is missing') },
    ])
    expect(served.code).toBe(0)
    const alone = await doctor(['--out', folder.path], env)
    expect(alone.lines.filter(converters)).toMatchObject([{ level: 'problem' }])
    expect(alone.code).toBe(1)
  }, 120_000)

  test('accepts the login of PARSE_API_URL as a key, and reports a second key', async () => {
    await using folder = await tempFolder()
    await using redis = await startTestRedis()
    await using service = await startScriptedService({ account: creditsLeft(3) })
    const env = { REDIS_URL: redis.url, PARSE_API_URL: service.url.replace('//', '//me:hunter2@') }
    const login = await doctor(['--out', folder.path], env)
    expect(login.lines.map(({ message }) => message)).toContain('3 credits left')
    expect(login.code).toBe(0)
    const both = await doctor(['--out', folder.path], { ...env, PARSE_API_KEY: 'key' })
    expect(both.lines.find(({ level }) => level === 'problem')).toMatchObject({ subject: 'service' })
    expect(JSON.stringify([login.lines, both.lines])).not.toContain('hunter2')
  })

  test('names each problem with a remedy, and exits with 1', async () => {
    await using folder = await tempFolder()
    await using redis = await startTestRedis()
    await redis.connection.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await using service = await startScriptedService({ account: { status: 401, body: { success: false } } })
    const env = { REDIS_URL: redis.url, PARSE_API_URL: service.url, PARSE_API_KEY: 'sekret' }
    const { lines, code } = await doctor(['--out', join(folder.path, 'absent'), '--out', '/proc/x'], env)
    const problems = lines.filter(({ level }) => level === 'problem')
    expect(problems.map(({ subject }) => subject)).toEqual(['redis', 'store', 'service'])
    expect(problems.every(({ remedy }) => remedy !== null && remedy !== '')).toBe(true)
    expect(JSON.stringify(lines)).not.toContain('sekret')
    expect(lines.at(-1)).toEqual({ event: 'checked', problems: 3 })
    expect(code).toBe(1)
  })

  test('reports that key and credits were not checked, and accepts a service without a key as run does', async () => {
    await using redis = await startTestRedis()
    await using service = await startScriptedService()
    const env = { REDIS_URL: redis.url, PARSE_API_URL: service.url }
    for (const key of [{}, { PARSE_API_KEY: 'wrong' }]) {
      const { lines, code } = await doctor([], { ...env, ...key })
      expect(lines.filter(({ level }) => level === 'problem')).toEqual([])
      expect(lines.map(({ message }) => message)).toContain(
        'key and credits not checked: the service has no /v2/team/credit-usage',
      )
      expect(code).toBe(0)
    }
    await using strict = await startScriptedService({ account: { status: 401, body: { success: false } } })
    const { lines, code } = await doctor([], { ...env, PARSE_API_URL: strict.url })
    const problem = lines.find(({ level }) => level === 'problem')
    expect([problem?.message, problem?.remedy, code]).toEqual([
      'the service asks for an API key (401)',
      'set PARSE_API_KEY',
      1,
    ])
  })

  test('warns when the service answers with a login page', async () => {
    await using redis = await startTestRedis()
    await using service = await openSite(() => ({ body: '<!doctype html><title>Log in</title>' }))
    const env = { REDIS_URL: redis.url, PARSE_API_URL: service.url, PARSE_API_KEY: 'key' }
    const { lines } = await doctor([], env)
    expect(lines.filter(({ level }) => level === 'warning')).toContainEqual(
      expect.objectContaining({ subject: 'service', message: expect.stringContaining('an HTML page instead of JSON') }),
    )
  })

  test('reaches the service through the proxy of the environment, and names a broken proxy', async () => {
    await using folder = await tempFolder()
    await using service = await startScriptedService({ account: creditsLeft(7) })
    await using proxy = await openProxy()
    await using redis = await startTestRedis()
    const env = { REDIS_URL: redis.url, PARSE_API_URL: service.url, PARSE_API_KEY: 'key' }
    const through = await doctor(['--out', folder.path], { ...env, HTTP_PROXY: proxy.url })
    const reported = through.lines.map(({ message }) => message)
    expect(reported).toEqual(expect.arrayContaining([`requests go through the proxy ${proxy.url}`, '7 credits left']))
    expect([through.code, proxy.connections()]).toEqual([0, 1])

    const direct = await doctor(['--out', folder.path], { ...env, HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' })
    expect([direct.code, proxy.connections()]).toEqual([0, 1])

    const broken = await doctor(['--out', folder.path], { ...env, HTTP_PROXY: 'http://user:hunter2@127.0.0.1:9' })
    const problem = broken.lines.find(({ level }) => level === 'problem')
    expect(problem?.message).toMatch(
      /cannot be reached through the proxy http:\/\/user:…@127\.0\.0\.1:9 \(.*ECONNREFUSED/,
    )
    expect(problem?.remedy).toContain('NO_PROXY')
    expect(JSON.stringify(broken.lines)).not.toContain('hunter2')
  })
})
