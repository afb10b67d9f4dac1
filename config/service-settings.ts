import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { DEFAULT_SERVICE } from '#src/client/rules.ts'
import { SetupError } from '#src/document/setup-error.ts'
import { environment } from './environment.ts'
import { hasLogin } from './secrets.ts'
import { isAddress, structure, withoutVersion } from './setting.ts'
import { PRICES } from './spending-settings.ts'

/**
 * An additional service next to `PARSE_API_URL`. It inherits unset values from that one; settings never hold its key.
 */
const namedService = z.strictObject({
  url: z
    .string()
    .refine((given) => isAddress(given, ['http', 'https']), 'an address such as https://gpu.example.com is needed')
    .refine((given) => !hasLogin(given), 'it holds a password: set keyEnv to the name of an environment variable')
    .overwrite(withoutVersion),
  keyEnv: z
    .string()
    .regex(/^[A-Za-z_]\w*$/, 'the name of an environment variable that holds the key is needed')
    .optional(),
  prices: PRICES.optional(),
  reportedCredit: z.number().min(0).max(1e6).optional(),
  rate: z.number().min(0.01).max(1e6).optional(),
  apiConcurrency: z.number().min(1).max(1e6).optional(),
})

export type NamedService = z.infer<typeof namedService>

const SERVICE_NAME = /^[\w][\w.-]{0,63}$/

/** Services that a rule can name. */
export const SERVICE_SETTINGS = {
  services: structure({
    schema: z
      .record(
        z
          .string()
          .regex(SERVICE_NAME, 'use up to 64 letters, digits, dots, dashes and underscores')
          .refine(
            (name) => name !== DEFAULT_SERVICE,
            'the name belongs to the service of PARSE_API_URL: choose another',
          ),
        namedService,
      )
      .default({}),
    doc: 'additional services that rules can name, as JSON',
  }),
} as const

/**
 * Reads the key of a service from its variable, or from the file that the variable with the suffix `_FILE` names.
 *
 * @throws {SetupError} if the variable is unset
 */
export function keyOfService(name: string, { keyEnv }: NamedService, env = environment()): string | undefined {
  if (keyEnv === undefined) return undefined
  const key = env[keyEnv]
  if (key !== undefined && key !== '') return key
  const path = env[`${keyEnv}_FILE`]
  if (path === undefined || path === '') {
    throw new SetupError(
      `services.${name}.keyEnv: the environment variable ${keyEnv} is not set. Set it to the API key of the service`,
    )
  }
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new SetupError(`services.${name}.keyEnv: the file ${path}, which ${keyEnv}_FILE names, cannot be read`, {
      cause: error,
    })
  }
}
