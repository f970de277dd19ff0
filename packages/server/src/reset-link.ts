import { Kysely, PostgresDialect } from 'kysely'
import { readConfig } from './config.ts'
import { newOperatorReset, type OperatorReset } from './features/identity/sign-in/index.ts'
import type { Tables } from './kernel/db/index.ts'
import { type ReachOptions, withKeyDatabase } from './keys/index.ts'

/**
 * Makes a link that resets a forgotten password, in the database of the settings. The service may run or not.
 *
 * @throws ResetRefused, OtherRelease, and what opening a database throws
 */
export async function createResetLink({
  env,
  ...who
}: ReachOptions & { email: string; removeFactors?: boolean }): Promise<OperatorReset> {
  const config = readConfig(env)
  const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`
  const singleSignOn = config.oidcIssuer === undefined ? undefined : { name: config.oidcName }
  return await withKeyDatabase({ env }, async (client) => {
    const connection = Object.assign(client, { release: () => undefined })
    const pool = { connect: async () => connection, end: async () => undefined }
    const system = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as never }) })
    return await newOperatorReset(system, { now: () => new Date(), publicUrl, singleSignOn }, who)
  })
}
