import { readConfig } from './config.ts'
import { newOperatorReset, type OperatorReset } from './features/identity/sign-in/index.ts'
import { asKysely, type ReachOptions, withKeyDatabase } from './keys/index.ts'

/**
 * Makes a link that resets a forgotten password, in the database of the settings. The service may run or not.
 *
 * @throws ResetRefused, AccountNotFound, OtherRelease, and what opening a database throws
 */
export async function createResetLink({
  env,
  ...who
}: ReachOptions & { email: string; removeFactors?: boolean }): Promise<OperatorReset> {
  const config = readConfig(env)
  const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`
  const singleSignOn = config.oidcIssuer === undefined ? undefined : { name: config.oidcName }
  return await withKeyDatabase({ env }, async (client) => {
    return await newOperatorReset(asKysely(client), { now: () => new Date(), publicUrl, singleSignOn }, who)
  })
}
