import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { startScriptedService } from '../support/scripted-service.ts'
import { sluice } from '../support/sluice.ts'
import { openProxy } from '../support/silent-server.ts'
import { Harness } from './support/harness.ts'
import { listen } from '../support/listen.ts'

/** An authority of our own, a server's certificate for 127.0.0.1 and a client's. */
async function certificates(folder: string): Promise<(name: string) => string> {
  const at = (name: string): string => join(folder, name)
  const openssl = (...args: string[]): unknown => execFileSync('openssl', args, { stdio: 'ignore' })
  openssl(
    'req',
    '-x509',
    '-nodes',
    '-newkey',
    'rsa:2048',
    '-days',
    '2',
    '-subj',
    '/CN=authority',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.pem'),
  )
  await writeFile(at('san'), 'subjectAltName=IP:127.0.0.1\n')
  for (const name of ['server', 'client']) {
    openssl(
      'req',
      '-nodes',
      '-newkey',
      'rsa:2048',
      '-subj',
      `/CN=${name}`,
      '-keyout',
      at(`${name}.key`),
      '-out',
      at(`${name}.csr`),
    )
    openssl(
      'x509',
      '-req',
      '-in',
      at(`${name}.csr`),
      '-CA',
      at('ca.pem'),
      '-CAkey',
      at('ca.key'),
      '-CAcreateserial',
      '-days',
      '2',
      '-extfile',
      at('san'),
      '-out',
      at(`${name}.pem`),
    )
  }
  return at
}

interface Secure extends AsyncDisposable {
  readonly url: string
}

/** The service behind TLS; it talks to clients only that show a certificate of the authority, where `clients` says so. */
async function behindTls(target: string, at: (name: string) => string, clients: boolean): Promise<Secure> {
  const [key, cert, ca] = await Promise.all(['server.key', 'server.pem', 'ca.pem'].map((name) => readFile(at(name))))
  const options = { key, cert, ca, requestCert: clients, rejectUnauthorized: clients }
  const server = createServer(options as never, (incoming, outgoing) => {
    const { method, headers, url } = incoming
    const onward = request(new URL(url ?? '', target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(onward)
  })
  return listen(server, { scheme: 'https' })
}

describe('a service behind TLS', () => {
  test('is trusted only with --ca-file, directly and through a CONNECT proxy', async () => {
    await using folder = await tempFolder()
    const at = await certificates(folder.path)
    await using harness = await Harness.open({ documents: 3 })
    await using secure = await behindTls(harness.service.url, at, false)
    await using proxy = await openProxy()
    const flags = { 'parse-api-url': secure.url, 'service-patience-ms': 2_000 }
    const without = await harness.run(flags)
    expect([without.code, without.stdout]).toEqual([
      3,
      expect.stringMatching(/authority that this machine does not know/),
    ])
    const through = await harness.run({ ...flags, 'ca-file': at('ca.pem') }, { env: { HTTPS_PROXY: proxy.url } })
    expect([through.code, proxy.connections() > 0]).toEqual([0, true])
    await harness.expectAllPaidOnce(3)
    await harness.write('more.html', '<p>more</p>')
    const used = proxy.connections()
    const direct = await harness.run(
      { ...flags, 'ca-file': at('ca.pem') },
      { env: { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1' } },
    )
    expect([direct.code, proxy.connections()]).toEqual([0, used])
    await harness.expectAllPaidOnce(4)
  }, 240_000)

  test('that requires a client certificate receives it', async () => {
    await using folder = await tempFolder()
    const at = await certificates(folder.path)
    await using harness = await Harness.open({ documents: 2 })
    await using secure = await behindTls(harness.service.url, at, true)
    const flags = { 'parse-api-url': secure.url, 'service-patience-ms': 2_000, 'ca-file': at('ca.pem') }
    expect((await harness.run(flags)).code).toBe(3)
    const shown = { ...flags, 'client-cert': at('client.pem'), 'client-key': at('client.key') }
    expect((await harness.run(shown)).code).toBe(0)
    await harness.expectAllPaidOnce(2)
  }, 240_000)
})

describe('a proxy with a password', () => {
  test('is named as the cause without its password, and carries all requests with it', async () => {
    await using harness = await Harness.open({ documents: 3 })
    await using proxy = await openProxy({ password: 'me:secret' })
    const flags = { 'service-patience-ms': 2_000 }
    const refused = await harness.run(flags, { env: { HTTP_PROXY: proxy.url } })
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([3, expect.stringMatching(/407/)])
    const withLogin = proxy.url.replace('//', '//me:secret@')
    const through = await harness.run(flags, { env: { HTTP_PROXY: withLogin } })
    expect([through.code, through.stdout + through.stderr]).toEqual([0, expect.not.stringMatching(/secret/)])
    await harness.expectAllPaidOnce(3)
  }, 240_000)
})

describe('URLs are fetched through the proxy', () => {
  const page = '<html><body><main><h1>By proxy</h1><p>This page has no other way to come here.</p></main></body></html>'

  test.each(['download', 'scrape'])(
    'with --via %s',
    async (via) => {
      const asked: string[] = []
      await using proxy = await openProxy({
        answers: (incoming, outgoing) => {
          asked.push(incoming.url ?? '')
          outgoing.writeHead(200, { 'content-type': 'text/html' }).end(page)
        },
      })
      await using folder = await tempFolder()
      const list = join(folder.path, 'urls.txt')
      await writeFile(list, 'http://nowhere.invalid/page.html\n')
      await using service = await startScriptedService()
      const api = via === 'download' ? [`--parse-api-url=${service.url}`, '--parse-api-key=key'] : []
      const env = { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' }
      const args = ['run', '--from-urls', list, `--out=${join(folder.path, 'out')}`, `--via=${via}`, ...api]
      const { code, stdout, stderr } = await sluice(args, { env })
      expect([code, stdout + stderr]).toEqual([0, expect.any(String)])
      expect(asked).toContain('http://nowhere.invalid/page.html')
    },
    240_000,
  )
})
