import { parseArgs } from 'node:util'

export interface Config {
  readonly port: number
  readonly host: string
  /** Undefined: requests are taken unverified. */
  readonly secret: string | undefined
}

/**
 * Reads flags first, then the environment (`PORT`, `HOST`, `WEBHOOK_SECRET`).
 * @throws TypeError for an unknown flag or a port that is no number
 */
export function readConfig(
  args: readonly string[] = process.argv.slice(2),
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: env['PORT'] ?? '4300' },
      host: { type: 'string', default: env['HOST'] ?? '127.0.0.1' },
      secret: { type: 'string' },
    },
  })
  if (!/^\d{1,5}$/.test(values.port)) throw new TypeError(`--port takes a whole number, not "${values.port}"`)
  return { port: Number(values.port), host: values.host, secret: values.secret ?? env['WEBHOOK_SECRET'] }
}
