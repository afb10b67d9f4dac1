/** Returns the packages that an error of the module loader names, its causes included. */
function packagesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const named = [...error.message.matchAll(/Cannot find (?:package|module) '((?:@[\w.-]+\/)?\w[\w.-]*)/g)]
  const inner = error instanceof AggregateError ? error.errors : [error.cause]
  return [...named.map((match) => match[1] ?? ''), ...inner.flatMap(packagesOf)]
}

/** A converter cannot be loaded. The engine refuses to start with this message. */
export class ConverterUnloadable extends Error {
  override name = 'ConverterUnloadable' as const
}

export function asUnloadable(error: unknown, converter: string | null = null): ConverterUnloadable {
  if (error instanceof ConverterUnloadable) return error
  return new ConverterUnloadable(sentenceOf(error, converter), { cause: error })
}

function sentenceOf(error: unknown, converter: string | null): string {
  const what = converter === null ? 'the converters' : `the converter for ${converter}`
  // The longest name is the most exact: a package, and its build for this machine.
  const [missing] = packagesOf(error).sort((a, b) => b.length - a.length)
  const reason = error instanceof Error ? (error.message.split('\n', 1)[0] ?? error.name) : String(error)
  return missing === undefined
    ? `${what} cannot be loaded: ${reason}`
    : `${what} cannot be loaded: package ${missing} is missing; install the optional packages too (npm install --include=optional), or name a service (PARSE_API_URL)`
}
