/** Of every answer: nothing is loaded from elsewhere, nothing is kept, no page may frame or open this one. */
const COMMON = {
  'x-content-type-options': 'nosniff',
  // With none at all, a browser calls the origin of our own forms "null".
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

const policy = (...rules: readonly string[]): string => rules.join('; ')

/** Of our own pages: their style and script come from here, and there is no inline one. */
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
 * Of what came from a document: sandboxed without scripts, forms, popups or navigation of the page around it, and without a
 * request to anywhere. `allow-same-origin` lets our script outside of the frame mark text in it; nothing in it runs.
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
