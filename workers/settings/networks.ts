import { readFileSync } from 'node:fs'
import { proxiesOf, proxyEnvOf } from '#config/proxies.ts'
import type { Settings } from '#config/settings.ts'
import { DependencyUnusable } from '#src/document/dependency.ts'
import type { ServiceNetwork } from '#src/parse/service-network.ts'
import type { WebNetwork } from '@sluice/fetch'
import type { S3Network } from '#src/s3/client.ts'

export type TlsSettings = Pick<Settings, 'caFile' | 'clientCert' | 'clientKey'>

/** Proxies and certificates for the service. */
export const serviceNetworkOf = (settings: TlsSettings): ServiceNetwork => ({
  proxies: proxiesOf(),
  tls: tlsOf(settings),
})

/** The same for buckets. */
export function s3NetworkOf(settings: TlsSettings): S3Network {
  const proxies = proxiesOf()
  return { tls: tlsOf(settings), ...(proxies === null ? {} : { proxyEnv: proxyEnvOf(proxies) }) }
}

/** The same for the open web, which sees no client certificate. */
export function webNetworkOf({ caFile }: Pick<TlsSettings, 'caFile'>): WebNetwork {
  return { proxies: proxiesOf(), ...tlsOf({ caFile, clientCert: undefined, clientKey: undefined }) }
}

/**
 * Trusts the certificate authorities of the settings in addition to Node's. Reads Node's by name: an import of the
 * module would read them for every command.
 */
function tlsOf({ caFile, clientCert, clientKey }: TlsSettings): ServiceNetwork['tls'] {
  return {
    ...(caFile === undefined
      ? {}
      : { ca: [...process.getBuiltinModule('node:tls').rootCertificates, contentOf('--ca-file', caFile)] }),
    ...(clientCert === undefined ? {} : { cert: contentOf('--client-cert', clientCert) }),
    ...(clientKey === undefined ? {} : { key: contentOf('--client-key', clientKey) }),
  }
}

function contentOf(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new DependencyUnusable(`${flag}: ${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, {
      cause,
    })
  }
}
