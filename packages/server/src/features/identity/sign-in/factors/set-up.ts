import type { Kysely } from 'kysely'
import type { Tables } from '../../../../kernel/db/index.ts'
import { createEnvelope, type Keyring } from '../../../../kernel/encryption/index.ts'
import { type BuilderRow, findBuilder, lockBuilder } from '../../orgs/index.ts'
import { FactorNotBegun, FactorRefused, PasskeysUnavailable, SessionEnded, TooManyFactors } from '../problems.ts'
import { newSecret } from '../sessions.ts'
import { factorsChanged } from './factor-changes.ts'
import {
  countRecoveryCodes,
  type FactorKind,
  type FactorRow,
  findSetup,
  insertFactor,
  listFactors,
  replaceRecoveryCodes,
  replaceSetup,
} from './factor-store.ts'
import { type CreatedPasskey, passkeyCreationOptions, passkeySite, verifyCreatedPasskey } from './passkeys.ts'
import { hashRecoveryCode, newRecoveryCodes } from './recovery-codes.ts'
import { newTotpSecret, totpStep, totpUri } from './totp.ts'
import { type FactorServices, secretAt } from './use-factor.ts'

/**
 * Setting up a factor has two steps in one session: `begin` stores a secret or a challenge for ten minutes, and
 * `confirm` proves that the device has it. Only a confirmed factor counts.
 */

const setupMs = 600_000
const factorsMax = 10
const defaultNames: Record<FactorKind, string> = { totp: 'Authenticator app', passkey: 'Passkey' }

/** The person, and the session that sets up the factor. */
export interface SettingUp {
  builderId: string
  sessionId: string
}

export interface AddedFactor {
  factor: FactorRow
  /** With the first factor. */
  recoveryCodes: string[] | undefined
}

export async function beginTotp(
  services: FactorServices,
  who: SettingUp,
): Promise<{ secret: string; uri: string; expireTime: Date }> {
  const builder = await builderOf(services, who)
  const secret = newTotpSecret()
  const expireTime = await store(services, { ...who, kind: 'totp' }, secret)
  return { secret, uri: totpUri(secret, { ...services, email: builder.email }), expireTime }
}

/** Returns the secret that is being set up in this session. @throws FactorNotBegun */
export async function begunTotp(services: FactorServices, who: SettingUp): Promise<{ secret: string; uri: string }> {
  const builder = await builderOf(services, who)
  const secret = await begun(services.database.system, services, { ...who, kind: 'totp' })
  return { secret, uri: totpUri(secret, { ...services, email: builder.email }) }
}

/** @throws FactorNotBegun, FactorRefused, TooManyFactors */
export async function confirmTotp(
  services: FactorServices & { newId: () => string },
  who: SettingUp,
  { code, name }: { code: string; name?: string | undefined },
): Promise<AddedFactor> {
  return await add(services, { ...who, kind: 'totp' }, name, async (secret, id) => {
    const step = totpStep(secret, code.replaceAll(/\s/g, ''), services.now())
    if (step === undefined) throw new FactorRefused()
    return { encrypted_secret: createEnvelope(services.keyring).encrypt(secret, secretAt(id)), last_step: step }
  })
}

/** @throws PasskeysUnavailable */
export async function beginPasskey(
  services: FactorServices,
  who: SettingUp,
): Promise<{ options: Record<string, unknown>; expireTime: Date }> {
  const site = passkeySite(services.publicUrl)
  if (!site) throw new PasskeysUnavailable()
  const builder = await builderOf(services, who)
  const existing = await listFactors(services.database.system, who.builderId)
  const challenge = newSecret()
  const expireTime = await store(services, { ...who, kind: 'passkey' }, challenge)
  const { id, email, full_name } = builder
  const options = await passkeyCreationOptions(
    site,
    { id, email, fullName: full_name ?? undefined },
    { challenge, existing },
  )
  return { options, expireTime }
}

/** @throws FactorNotBegun, FactorRefused, TooManyFactors, PasskeysUnavailable */
export async function confirmPasskey(
  services: FactorServices & { newId: () => string },
  who: SettingUp,
  { created, name }: { created: CreatedPasskey; name?: string | undefined },
): Promise<AddedFactor> {
  const site = passkeySite(services.publicUrl)
  if (!site) throw new PasskeysUnavailable()
  return await add(services, { ...who, kind: 'passkey' }, name, async (challenge) => {
    try {
      return await verifyCreatedPasskey(site, created, challenge)
    } catch (error) {
      throw new FactorRefused({ cause: error })
    }
  })
}

type OfKind = SettingUp & { kind: FactorKind }

async function builderOf({ database }: FactorServices, { builderId }: SettingUp): Promise<BuilderRow> {
  const builder = await findBuilder(database.system, builderId)
  if (!builder) throw new SessionEnded()
  if ((await listFactors(database.system, builderId)).length >= factorsMax) throw new TooManyFactors()
  return builder
}

async function store({ database, keyring, now }: FactorServices, setup: OfKind, secret: string): Promise<Date> {
  const expireTime = new Date(now().getTime() + setupMs)
  const encrypted = createEnvelope(keyring).encrypt(secret, setupAt(setup))
  await replaceSetup(database.system, { ...setup, encrypted, expireTime })
  return expireTime
}

async function begun(
  system: Kysely<Tables>,
  { keyring, now }: { keyring: Keyring; now: () => Date },
  setup: OfKind,
): Promise<string> {
  const found = await findSetup(system, setup, now())
  if (!found) throw new FactorNotBegun()
  return createEnvelope(keyring).open(found.encrypted, setupAt(setup)).toString()
}

function setupAt({ builderId, kind }: OfKind) {
  return { table: 'factor_setups', project: '', row: `${builderId} ${kind}`, column: 'encrypted' }
}

/** Adds a factor whose device has proved that it has the secret. The first one brings recovery codes. */
async function add(
  services: FactorServices & { newId: () => string },
  setup: OfKind,
  name: string | undefined,
  valuesOf: (secret: string, id: string) => Promise<Partial<FactorRow>>,
): Promise<AddedFactor> {
  const { builderId, kind } = setup
  return await services.database.system.transaction().execute(async (tx) => {
    await lockBuilder(tx, builderId)
    const secret = await begun(tx, services, setup)
    if ((await listFactors(tx, builderId)).length >= factorsMax) throw new TooManyFactors()
    const id = services.newId()
    const values = await valuesOf(secret, id)
    const factor = await insertFactor(tx, { id, builderId, kind, name: name?.trim() || defaultNames[kind], ...values })
    // The passkey belongs to another account.
    if (!factor) throw new FactorRefused()
    const recoveryCodes = (await countRecoveryCodes(tx, builderId)) === 0 ? newRecoveryCodes() : undefined
    if (recoveryCodes) await replaceRecoveryCodes(tx, builderId, recoveryCodes.map(hashRecoveryCode))
    await factorsChanged(tx, services, { builderId, change: 'added', name: factor.name })
    return { factor, recoveryCodes }
  })
}
