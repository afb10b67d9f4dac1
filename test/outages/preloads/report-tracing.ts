/** Says on standard error when the part that needs OpenTelemetry's SDK is loaded, from the sources or from a bundle. */
import { registerHooks } from 'node:module'

registerHooks({
  load(url, context, next) {
    if (/\/span-export[^/]*$/.test(url)) process.stderr.write('spans are exported\n')
    return next(url, context)
  },
})
