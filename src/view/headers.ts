/** Headers of every answer: they forbid foreign resources, caching, and other pages that frame or open this one. */
const COMMON = {
  'x-content-type-options': 'nosniff',
  // Without any referrer, a browser sends the origin "null" with our own forms.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

const policy = (...rules: readonly string[]): string => rules.join('; ')

/** Headers of our own pages: style and script come from this server, never inline. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'content-security-policy': policy(
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ),
}

/**
 * Headers of document content: a sandbox without scripts, forms, popups, requests or navigation of the page around it.
 * `allow-same-origin` lets our script outside of the frame mark text in it; the frame itself runs nothing.
 */
export const CONTENT_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON,
  'content-security-policy': policy(
    'sandbox allow-same-origin',
    "default-src 'none'",
    "style-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ),
}
