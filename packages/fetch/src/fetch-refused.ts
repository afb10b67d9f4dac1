export type FetchRefusal = 'private_address' | 'bad_redirect' | 'too_many_redirects' | 'too_large'

const WORDS: Readonly<Record<FetchRefusal, string>> = {
  private_address: 'the URL leads to a private, loopback or link-local address',
  bad_redirect: 'the server redirects to an address that is not an http or https URL',
  too_many_redirects: 'too many redirects',
  too_large: 'the document is larger than the limit',
}

/** A request that our own rules forbid; all other errors come from the connection or the server. */
export class FetchRefused extends Error {
  override name = 'FetchRefused' as const
  readonly reason: FetchRefusal

  constructor(reason: FetchRefusal) {
    super(WORDS[reason])
    this.reason = reason
  }
}
