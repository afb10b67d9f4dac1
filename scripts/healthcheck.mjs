// The health check of a container: whether the process answers /healthz within twelve seconds, time enough on a busy machine. A process that is stopped,
// or whose event loop is blocked, does not. SLUICE_HEALTH_URL names the address, else SLUICE_METRICS_PORT the port; a
// container with neither, such as one pass of `run`, counts as healthy.
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
