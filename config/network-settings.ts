import { optionalText } from './setting.ts'

const pemFile = (env: string, doc: string) =>
  optionalText({ env, doc, placeholder: 'file', scope: 'process', path: true })

/** Certificates for the service and for buckets. Proxies come from HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export const NETWORK_SETTINGS = {
  caFile: pemFile('SLUICE_CA_FILE', 'PEM file of further authorities, for service and buckets'),
  clientCert: pemFile('SLUICE_CLIENT_CERT', 'PEM file of the certificate for service and buckets'),
  clientKey: pemFile('SLUICE_CLIENT_KEY', 'PEM file of the key of that certificate'),
}
