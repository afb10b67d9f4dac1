import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'

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

async function serving(server: Server, scheme: string, cause: RegExp): Promise<WrongAddress> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    env: {},
    cause,
    [Symbol.asyncDispose]: async () => {
      if ('closeAllConnections' in server && typeof server.closeAllConnections === 'function') {
        server.closeAllConnections()
      }
      server.close()
    },
  }
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
