// The health check of a container: /healthz must answer within twelve seconds, a timeout for a busy machine. A stopped
// process, or one with a blocked event loop, does not answer. SLUICE_HEALTH_URL names the address, else
// SLUICE_METRICS_PORT the port. A container with neither, such as one pass of `run`, counts as healthy.
const { SLUICE_HEALTH_URL, SLUICE_METRICS_PORT = '0' } = process.env
const url =
  SLUICE_HEALTH_URL ?? (SLUICE_METRICS_PORT === '0' ? null : `http://127.0.0.1:${SLUICE_METRICS_PORT}/healthz`)

if (url !== null) {
  fetch(url, { signal: AbortSignal.timeout(12_000) }).then(
    ({ status }) => process.exit(status === 200 ? 0 : 1),
    (error) => {
      console.error(`${url}: ${error.message}`)
      process.exit(1)
    },
  )
}
