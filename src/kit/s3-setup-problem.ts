/**
 * Explains why the S3 client could not send a request: an unusable region, credentials or endpoint. The sentence names
 * the setting. Null for any other error. The name, code and message identify the error, since the SDK gives it no
 * class.
 */
export function s3SetupProblem(error: unknown): string | null {
  if (!(error instanceof Error)) return null
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/region is missing|invalid region|hostname that is not valid/i.test(error.message)) {
    return 'no usable region is set. Set --s3-region or AWS_REGION.'
  }
  if (
    /^Credentials|TokenProviderError/.test(error.name) ||
    /could not load credentials|resolved credential/i.test(error.message)
  ) {
    return 'no credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or run with a role.'
  }
  if (code.startsWith('HPE_') || error.message.startsWith('Parse Error')) {
    return 'the server at this address does not speak HTTP. Check --s3-endpoint.'
  }
  if (/Deserialization error|is not expected\.:/i.test(error.message)) {
    return 'the server at this address is not an S3 store. Check --s3-endpoint.'
  }
  if (/^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO)/.test(code)) {
    return `TLS failed (${code}). Check http or https in --s3-endpoint, and its certificate (NODE_EXTRA_CA_CERTS).`
  }
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return `the store cannot be reached (${code}). Check --s3-endpoint.`
  if (error.name === 'InvalidBucketName') return 'the name of the bucket is invalid. Correct it.'
  return null
}
