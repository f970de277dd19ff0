import { parseArgs } from 'node:util'
import type { Application } from './sign-in/access.ts'
import type { SampleCrmOptions } from './start-sample-crm.ts'

export type SampleCrmConfig = Required<
  Pick<SampleCrmOptions, 'port' | 'host' | 'apiKey' | 'contacts' | 'seed' | 'rateLimit'>
> & {
  /** The application that may ask for access by OAuth 2.0; undefined without a redirect URI. */
  oauth: Application | undefined
}

/**
 * Reads flags first, then the environment (`PORT`, `API_KEY`, …).
 * @throws TypeError for an unknown flag or a value that is no number
 */
export function readConfig(
  args: readonly string[] = process.argv.slice(2),
  env: Readonly<Record<string, string | undefined>> = process.env,
): SampleCrmConfig {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: env['PORT'] ?? '4200' },
      host: { type: 'string', default: env['HOST'] ?? '127.0.0.1' },
      'api-key': { type: 'string', default: env['API_KEY'] ?? 'demo-key' },
      contacts: { type: 'string', default: env['CONTACTS'] ?? '20000' },
      seed: { type: 'string', default: env['SEED'] ?? '1' },
      'redirect-uri': { type: 'string', default: env['REDIRECT_URI'] ?? '' },
      'client-id': { type: 'string', default: env['CLIENT_ID'] ?? 'mortise' },
      'client-secret': { type: 'string', default: env['CLIENT_SECRET'] ?? 'mortise-secret' },
      'rate-limit': { type: 'string', default: env['RATE_LIMIT'] ?? '50' },
    },
  })
  const number = (name: 'port' | 'contacts' | 'seed' | 'rate-limit') => {
    if (!/^\d{1,9}$/.test(values[name])) throw new TypeError(`--${name} takes a whole number, not "${values[name]}"`)
    return Number(values[name])
  }
  return {
    port: number('port'),
    host: values.host,
    apiKey: values['api-key'],
    contacts: number('contacts'),
    seed: number('seed'),
    rateLimit: number('rate-limit'),
    oauth: values['redirect-uri']
      ? {
          clientId: values['client-id'],
          clientSecret: values['client-secret'],
          name: 'Your product',
          redirectUris: [values['redirect-uri']],
        }
      : undefined,
  }
}
