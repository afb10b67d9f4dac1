import { createHash } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connectRedis } from '#src/redis/connection.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { freePort } from '../support/free-port.ts'
import { endProcess } from '../support/child.ts'
import { REDIS_CACHE_DIR, spawnRedisServer } from '../support/redis.ts'
import { errorReply, parsedReply, ScriptedService } from '../support/scripted-service.ts'
import { SecretSearch } from '../support/secret-search.ts'
import { sluice, startSluice } from '../support/sluice.ts'
import { openSite } from '../support/web-site.ts'
import { seedFrom } from '../support/seed.ts'
import { elapse, until } from '../support/wait.ts'

/* Secrets are planted in every input of a run, and everything that it leaves behind is searched for them. */

const SEED = seedFrom('SECRETS_SEED', 16)
const SAMPLES = join(import.meta.dirname, '../../samples')

const secret = (name: string): string =>
  `${name}${createHash('sha256').update(`${SEED} ${name}`).digest('hex').slice(0, 24)}`

const SECRETS = {
  'the API key': secret('key'),
  'the password of Redis': secret('redis'),
  'the S3 secret key': secret('s3'),
  'the S3 session token': secret('session'),
  'the login of the proxy': secret('proxy'),
  'the token of bucket events': secret('events'),
  'the key of the engine': secret('engine'),
  'the key of the model': secret('model'),
  'the password of a document': secret('document'),
  'the password in a URL': secret('url'),
  'the user name in a URL': secret('user'),
  'the password in a line that is no URL': secret('ftp'),
  'the signature of a URL': secret('signature'),
  'the token of a URL': secret('token'),
  'the login of the service': secret('service'),
  'a header of the recipe': secret('header'),
  'the login of the collector of traces': secret('collector'),
  'a header for the collector of traces': secret('otlp'),
}

/** In the bodies of documents: outputs hold it, and nothing else. */
const TEXT = { 'the text of a document': secret('text') }

/** All settings that hold a secret and are not what a test is about. */
const ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  AWS_SECRET_ACCESS_KEY: SECRETS['the S3 secret key'],
  AWS_SESSION_TOKEN: SECRETS['the S3 session token'],
  HTTP_PROXY: `http://someone:${SECRETS['the login of the proxy']}@127.0.0.1:9`,
  https_proxy: `http://someone:${SECRETS['the login of the proxy']}@127.0.0.1:9`,
  NO_PROXY: '127.0.0.1,localhost',
  EVENTS_TOKEN: SECRETS['the token of bucket events'],
  SLUICE_ENGINE_KEYS: JSON.stringify({ [SECRETS['the key of the engine']]: {} }),
  SLUICE_ENGINE_PASSWORDS: JSON.stringify([SECRETS['the password of a document']]),
  SLUICE_ENGINE_MODEL_URL: 'http://127.0.0.1:9/v1',
  SLUICE_ENGINE_MODEL_NAME: 'model',
  SLUICE_ENGINE_MODEL_KEY: SECRETS['the key of the model'],
  SLUICE_OPTIONS: JSON.stringify({ headers: { Authorization: `Bearer ${SECRETS['a header of the recipe']}` } }),
  SLUICE_LOG_LEVEL: 'trace',
}

async function startRedis(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const port = await freePort()
  const password = SECRETS['the password of Redis']
  const flags = ['--port', String(port), '--requirepass', password, '--save', '', '--maxmemory-policy', 'noeviction']
  const child = await spawnRedisServer([...flags, '--dir', folder])
  return {
    url: `redis://default:${password}@127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => endProcess(child),
  }
}

test(`a run against a service leaves no secret of its inputs behind, and fetches URLs with a login (seed ${SEED})`, async () => {
  await using folder = await tempFolder()
  const search = new SecretSearch(SECRETS)
  const texts = new SecretSearch(TEXT)
  let spans = ''
  await using collector = await openSite((_, body) => {
    spans += body
    return { body: '{}' }
  })
  const login = `${SECRETS['the user name in a URL']}:${SECRETS['the password in a URL']}`
  await using site = await openSite((path, _, { headers }) => {
    const isOpen =
      !path.startsWith('/closed') || headers.authorization === `Basic ${Buffer.from(login).toString('base64')}`
    return isOpen
      ? {
          headers: { 'content-type': 'text/html', etag: '"1"' },
          body: `<p>${path.split('?')[0]} ${/page=\d/.exec(path)?.[0]} ${TEXT['the text of a document']}`,
        }
      : { status: 401 }
  })
  const key = SECRETS['the API key']
  await using service = await new ScriptedService({
    answers: ({ file }) =>
      file?.content?.includes('/refused') === true ? errorReply(422, `The key ${key} may not do this`) : parsedReply(),
  }).listen()
  const [out, tmp, list] = [join(folder.path, 'out'), join(folder.path, 'tmp'), join(folder.path, 'urls.txt')]
  await mkdir(tmp)
  await using redis = await startRedis(folder.path)
  const host = new URL(site.url).host
  const { 'the signature of a URL': signature, 'the token of a URL': token } = SECRETS
  const lines = [
    `http://${login}@${host}/closed/a.html`,
    `http://${host}/signed.html?X-Amz-Date=20261122T000000Z&X-Amz-Signature=${signature}&X-Amz-Security-Token=${token}`,
    `http://${host}/token.html?access_token=${token}&page=1`,
    `http://${host}/token.html?access_token=${token}&page=2`,
    `http://${host}/refused.html?sig=${signature}`,
    `ftp://someone:${SECRETS['the password in a line that is no URL']}@${host}/x.html`,
    `someone:${SECRETS['the password in a line that is no URL']}@${host}/x.html?token=${token}`,
    `http://${host}/plain.html`,
  ]
  await writeFile(list, `${lines.join('\n')}\n`)
  const port = await freePort()
  const env = {
    ...ENVIRONMENT,
    TMPDIR: tmp,
    PARSE_API_URL: service.url,
    PARSE_API_KEY: key,
    REDIS_URL: redis.url,
    SLUICE_SPOOL: join(folder.path, 'spool'),
    SLUICE_LOG_FILE: join(folder.path, 'log'),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url.replace(
      '//',
      `//someone:${SECRETS['the login of the collector of traces']}@`,
    ),
    OTEL_EXPORTER_OTLP_HEADERS: `x-token=${SECRETS['a header for the collector of traces']},y y=${SECRETS['a header for the collector of traces']}`,
    OTEL_TRACES_SAMPLER: SECRETS['a header for the collector of traces'],
  }
  const args = ['--from-urls', list, '--out', out, '--via', 'download', '--allow-private-addresses']
  const running = startSluice(['run', ...args, '--verbose', '--metrics-port', String(port)], { env })
  const processes = new Set<string>()
  let scrapes = 0
  {
    await using _watching = search.children(running.child.pid ?? 0, processes)
    const metrics = async (): Promise<void> => {
      const answer = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => null)
      if (answer === null) return
      scrapes += 1
      const reported = await answer.text()
      search.text('the metrics', reported)
      texts.text('the metrics', reported)
    }
    while (running.child.exitCode === null && running.child.signalCode === null) {
      await metrics()
      await elapse(20, 'between two samples')
    }
  }
  const end = await running.finished
  search.text('standard output', end.stdout)
  search.text('standard error', end.stderr)
  expect(end.code, end.stderr).toBe(2)
  const log = await readFile(join(folder.path, 'log'), 'utf8')
  for (const [channel, reported] of Object.entries({ log, spans, stdout: end.stdout, stderr: end.stderr })) {
    search.text(channel, reported)
    texts.text(channel, reported)
  }
  expect([log, spans].map((reported) => reported.includes('closed/a.html'))).toEqual([true, true])
  expect(texts.found).toEqual([])
  expect(end.stdout).toContain('5 done, 3 failed')
  for (const command of ['status', 'failures', 'config', 'plan', 'verify']) {
    const flags = command === 'failures' || command === 'verify' ? ['--out', out] : command === 'config' ? [] : args
    const reported = await sluice([command, ...flags], { env })
    search.text(`what ${command} says`, reported.stdout + reported.stderr)
  }
  const connection = await connectRedis({ url: redis.url })
  expect(await search.redis(connection)).toBeGreaterThan(3)
  connection.disconnect()
  expect(await search.folder('out', out)).toBeGreaterThan(15)
  await search.folder('tmp', tmp)
  expect((await readdir(folder.path)).filter((name) => name !== 'urls.txt').sort()).toEqual(['log', 'out', 'tmp'])
  expect(scrapes).toBeGreaterThan(0)
  expect(search.found).toEqual([])

  // Another process finds the login in the list; a second run buys nothing.
  expect(service.requests.filter(({ file }) => file?.content?.includes('/refused') !== true)).toHaveLength(5)
  const again = await sluice(['run', ...args, '--formats', 'markdown,links'], { env })
  expect(again.stdout).toContain('5 done, 3 failed')
}, 240_000)

test('a service behind basic authentication gets the login of its address, which no record or message contains', async () => {
  await using folder = await tempFolder()
  const search = new SecretSearch(SECRETS)
  const login = `someone:${SECRETS['the login of the service']}`
  await using service = await new ScriptedService({
    answers: ({ headers, file }) =>
      headers.authorization !== `Basic ${Buffer.from(login).toString('base64')}`
        ? errorReply(401, 'Unauthorized')
        : file?.content?.includes('bad') === true
          ? errorReply(422, `${SECRETS['the login of the service']} sent this`)
          : parsedReply(),
  }).listen()
  const [source, out] = [join(folder.path, 'in'), join(folder.path, 'out')]
  await mkdir(source)
  await writeFile(join(source, 'good.html'), '<p>good')
  await writeFile(join(source, 'bad.html'), '<p>bad')
  const env = { ...ENVIRONMENT, PARSE_API_URL: service.url.replace('//', `//${login}@`) }
  const end = await sluice(['run', source, '--out', out], { env })
  expect(end.stdout).toContain('1 done, 1 failed')
  search.text('what it says', end.stdout + end.stderr)
  const both = await sluice(['run', source, '--out', out], { env: { ...env, PARSE_API_KEY: SECRETS['the API key'] } })
  expect(both.code).toBe(1)
  expect(both.stderr).toContain('PARSE_API_URL contains a login, and PARSE_API_KEY is set too')
  search.text('what it says of two logins', both.stderr)
  await search.folder('out', out)
  expect(search.found).toEqual([])
}, 240_000)

test('the embedded engine, its converters and the private Redis get no secret in arguments or environment', async () => {
  await using folder = await tempFolder()
  const search = new SecretSearch(SECRETS)
  const [source, out, tmp] = [join(folder.path, 'in'), join(folder.path, 'out'), join(folder.path, 'tmp')]
  await mkdir(source)
  await mkdir(tmp)
  for (const name of ['stoppage-notice.html', 'boat-passages.csv', 'letter-to-boaters.rtf']) {
    await copyFile(join(SAMPLES, name), join(source, name))
  }
  const env = { ...ENVIRONMENT, PARSE_API_KEY: SECRETS['the API key'], TMPDIR: tmp, SLUICE_CACHE_DIR: REDIS_CACHE_DIR }
  const processes = new Set<string>()
  const running = startSluice(['run', source, '--out', out], { env })
  {
    await using _watching = search.children(running.child.pid ?? 0, processes)
    expect((await running.finished).code).toBe(0)
  }
  const { stdout, stderr } = await running.finished
  search.text('what it says', stdout + stderr)
  await search.folder('out', out)
  await search.folder('tmp', tmp)
  expect([...processes].join('\n')).toMatch(/redis-server/)
  expect([...processes].join('\n')).toMatch(/child/)
  expect(search.found).toEqual([])
}, 240_000)

test('the converters of a standalone engine get no secret in arguments or environment', async () => {
  const search = new SecretSearch(SECRETS)
  const processes = new Set<string>()
  const port = await freePort()
  const running = startSluice(['engine'], {
    env: { ...ENVIRONMENT, SLUICE_ENGINE_PORT: String(port), SLUICE_ENGINE_PROCESSES: '2' },
  })
  const isUp = async (): Promise<boolean> => {
    const answer = await fetch(`http://127.0.0.1:${port}/v2/parse`, { method: 'POST' }).catch(() => null)
    return answer?.status === 401
  }
  {
    await using _watching = search.children(running.child.pid ?? 0, processes)
    await until('the engine asks for the key', 20_000, isUp)
    await elapse(300, 'its processes are read meanwhile')
  }
  running.child.kill('SIGTERM')
  const { stdout, stderr } = await running.finished
  search.text('what it says', stdout + stderr)
  expect([...processes].join('\n')).toMatch(/child/)
  expect(search.found).toEqual([])
}, 240_000)
