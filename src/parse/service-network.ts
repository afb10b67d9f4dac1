/** Network path of requests. */
export interface ServiceNetwork {
  /** Proxies by scheme, and the hosts that bypass them; null for direct connections. */
  readonly proxies: {
    readonly http: string | null
    readonly https: string | null
    readonly noProxy: string | null
  } | null
  /** PEM: trusted certificate authorities, and the client's certificate and key. */
  readonly tls: { readonly ca?: string[]; readonly cert?: string; readonly key?: string }
}

export const DIRECT_NETWORK: ServiceNetwork = { proxies: null, tls: {} }
