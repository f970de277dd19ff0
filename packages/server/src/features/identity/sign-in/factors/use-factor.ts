import type { Kysely } from 'kysely'
import type { Config } from '../../../../config.ts'
import type { Database, Tables } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { Logger } from '../../../../kernel/telemetry/index.ts'
import { SecondFactorRefused } from '../problems.ts'
import { beginCodeAttempt, type Origin } from '../throttle.ts'
import { claimCounter, claimRecoveryCode, claimStep, type FactorRow, listFactors } from './factor-store.ts'
import { passkeySite, type UsedPasskey, verifyUsedPasskey } from './passkeys.ts'
import { hashRecoveryCode, isRecoveryCode } from './recovery-codes.ts'
import { isTotpCode, totpStep } from './totp.ts'

/** What a person can use in the second step. */
export type UsableFactor = 'totp' | 'passkey' | 'recoveryCode'

/** What a person sent in the second step: a code of an app, a recovery code, or the response of a passkey. */
export type GivenFactor = { code: string } | { passkey: UsedPasskey; challenge: string }

export type FactorServices = {
  config: Config
  database: Database
  keyring: Keyring
  log: Logger
  now: () => Date
  publicUrl: string
  queue: JobQueue
}

/** Returns the kinds that a person can use in the second step. Empty if the password alone signs in. */
export async function usableFactors(system: Kysely<Tables>, builderId: string): Promise<UsableFactor[]> {
  const kinds = new Set((await listFactors(system, builderId)).map(({ kind }) => kind))
  return kinds.size === 0 ? [] : [...kinds, 'recoveryCode']
}

/**
 * Checks a second factor and uses it up, together with `work`. Attempts are counted before the check.
 *
 * @param work ends the step in the same transaction; returns false if another request was faster
 * @throws SecondFactorRefused, TooManyAttempts
 */
export async function confirmFactor(
  services: FactorServices,
  builder: { id: string; email: string },
  given: GivenFactor,
  origin: Origin,
  work: (tx: Kysely<Tables>) => Promise<boolean> = async () => true,
): Promise<void> {
  const attempt = await beginCodeAttempt(services, builder.email, origin)
  const used = await services.database.system.transaction().execute(async (tx) => {
    const used =
      'code' in given
        ? await useCode(tx, services, builder.id, given.code)
        : await usePasskey(tx, services, builder.id, given)
    if (used !== undefined && !(await work(tx))) throw new SecondFactorRefused()
    return used
  })
  const { log } = services
  if (used === undefined) {
    log.info({ builderId: builder.id, address: origin.address }, 'second factor refused')
    throw new SecondFactorRefused()
  }
  await attempt.succeeded()
  log.info({ builderId: builder.id, address: origin.address, factor: used }, 'second factor accepted')
}

async function useCode(
  tx: Kysely<Tables>,
  { keyring, now }: FactorServices,
  builderId: string,
  text: string,
): Promise<UsableFactor | undefined> {
  const code = text.replaceAll(/\s/g, '')
  if (isRecoveryCode(code))
    return (await claimRecoveryCode(tx, builderId, hashRecoveryCode(code))) ? 'recoveryCode' : undefined
  if (!isTotpCode(code)) return undefined
  const at = now()
  const [found] = (await listFactors(tx, builderId)).flatMap((factor) => {
    const secret = totpSecretOf(keyring, factor)
    const step = secret === undefined ? undefined : totpStep(secret, code, at)
    return step === undefined ? [] : [{ id: factor.id, step }]
  })
  return found && (await claimStep(tx, found.id, { step: found.step, now: at })) ? 'totp' : undefined
}

async function usePasskey(
  tx: Kysely<Tables>,
  { log, now, publicUrl }: FactorServices,
  builderId: string,
  { passkey, challenge }: { passkey: UsedPasskey; challenge: string },
): Promise<UsableFactor | undefined> {
  const site = passkeySite(publicUrl)
  const factor = (await listFactors(tx, builderId)).find(({ credential_id }) => credential_id === passkey.id)
  if (!site || !factor) return undefined
  const counter = await verifyUsedPasskey(site, passkey, challenge, factor).catch((error: unknown) => {
    log.info({ err: error, builderId }, 'the response of a passkey is not valid')
    return undefined
  })
  if (counter === undefined) return undefined
  return (await claimCounter(tx, factor.id, { counter, now: now() })) ? 'passkey' : undefined
}

function totpSecretOf(keyring: Keyring, { id, encrypted_secret }: FactorRow): string | undefined {
  return encrypted_secret === null ? undefined : createEnvelope(keyring).open(encrypted_secret, secretAt(id)).toString()
}

/** Where the secret of an app is encrypted. */
export function secretAt(id: string) {
  return { table: 'factors', project: '', row: id, column: 'encrypted_secret' }
}
