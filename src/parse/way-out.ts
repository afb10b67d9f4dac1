/** How requests leave this machine. */
export interface WayOut {
  /** Proxies for addresses of either kind, and the hosts that need none; null where requests go directly. */
  readonly proxies: { readonly http: string | null; readonly https: string | null; readonly none: string | null } | null
  /** PEM: certificate authorities to trust, and the certificate and key that this client presents. */
  readonly tls: { readonly ca?: string[]; readonly cert?: string; readonly key?: string }
}

export const DIRECT: WayOut = { proxies: null, tls: {} }
