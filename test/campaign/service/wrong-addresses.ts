import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { listen } from '../../support/listen.ts'

/** A service that no request of a process comes to, for a reason that waiting does not mend. */
export interface WrongAddress extends AsyncDisposable {
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  /** What has to be said of it. */
  readonly cause: RegExp
}

const nothing = { env: {}, [Symbol.asyncDispose]: async () => undefined }

/** A store in a bucket on this machine is reached without the proxy. */
const LOCAL = { NO_PROXY: '127.0.0.1' }

/** Each way in which a service is out of reach from the first request on. */
export const WRONG_ADDRESSES: Readonly<Record<string, () => Promise<WrongAddress>>> = {
  'unknown host': async () => ({
    ...nothing,
    url: 'http://parse.invalid',
    cause: /its name cannot be (found|looked up now)/,
  }),
  'nothing listens': async () => ({
    ...nothing,
    url: `http://127.0.0.1:${await freePort()}`,
    cause: /nothing listens there/,
  }),
  'self-signed certificate': async () => serving(selfSigned(), 'https', /its certificate is self-signed/),
  'black hole': async () => serving(createServer(), 'http', /waiting for their answers/),
  'proxy that refuses': async () => {
    const proxy = `http://127.0.0.1:${await freePort()}`
    return {
      ...nothing,
      url: 'http://parse.example',
      env: { HTTP_PROXY: proxy, ...LOCAL },
      cause: /nothing listens there/,
    }
  },
  'proxy that wants a password': async () => {
    const proxy = await serving(
      createServer((_, response) => void response.writeHead(407).end()),
      'http',
      /407/,
    )
    return { ...proxy, url: 'http://parse.example', env: { HTTP_PROXY: proxy.url, ...LOCAL } }
  },
}

/** One of them, by its name. */
export function wrongAddress(name: keyof typeof WRONG_ADDRESSES): Promise<WrongAddress> {
  const open = WRONG_ADDRESSES[name]
  if (open === undefined) throw new Error(`no wrong address is named ${name}`)
  return open()
}

async function serving(server: Server, scheme: 'http' | 'https', cause: RegExp): Promise<WrongAddress> {
  return { ...(await listen(server, { scheme })), env: {}, cause }
}

let certificate: { readonly key: Buffer; readonly cert: Buffer } | null = null

function selfSigned(): Server {
  certificate ??= makeCertificate()
  return createTlsServer(certificate)
}

function makeCertificate(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cert-'))
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-nodes', '-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-keyout', key, '-out', cert, ...subject], {
      stdio: 'ignore',
    })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
