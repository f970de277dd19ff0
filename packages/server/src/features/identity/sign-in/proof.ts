import type { Config } from '../../../config.ts'
import type { Database } from '../../../kernel/db/index.ts'
import type { BuilderCaller } from '../../../kernel/http/index.ts'
import { findBuilder } from '../orgs/index.ts'
import { confirmFactor, type FactorServices } from './factors/use-factor.ts'
import type { Passwords } from './password.ts'
import { ProofRefused, ProofRequired, SecondFactorRefused, SessionEnded } from './problems.ts'
import { findProofTime, updateProofTime } from './session-store.ts'
import { beginAttempt } from './throttle.ts'

/**
 * A stolen session must not be enough to change factors: the person has to prove who they are, and may then change them
 * for ten minutes in that session. A sign-in is such a proof.
 */
const proofMs = 600_000

type Who = Pick<BuilderCaller, 'builderId' | 'sessionId'>

export async function hasProof(
  { database, now }: { database: Database; now: () => Date },
  { sessionId }: Pick<Who, 'sessionId'>,
): Promise<boolean> {
  const time = await findProofTime(database.system, sessionId)
  return time !== undefined && now().getTime() - time.getTime() < proofMs
}

/** @throws ProofRequired */
export async function requireProof(services: { database: Database; now: () => Date }, who: Who): Promise<void> {
  if (!(await hasProof(services, who))) throw new ProofRequired()
}

/**
 * Accepts a password or a code as proof, within the limits on attempts. Returns until when it holds.
 * @throws ProofRefused, TooManyAttempts
 */
export async function prove(
  services: FactorServices & { config: Config; passwords: Passwords },
  { builderId, sessionId }: Who,
  given: { password?: string | undefined; code?: string | undefined },
  address: string,
): Promise<Date> {
  const { database, now, passwords } = services
  const builder = await findBuilder(database.system, builderId)
  if (!builder) throw new SessionEnded()
  const origin = { address, sessionId }
  if (given.code !== undefined) {
    await confirmFactor(services, builder, { code: given.code }, origin).catch((error: unknown) => {
      throw error instanceof SecondFactorRefused ? new ProofRefused() : error
    })
  } else {
    const attempt = await beginAttempt(services, builder.email, origin)
    if (!(await passwords.verify(builder.password, given.password ?? ''))) throw new ProofRefused()
    await attempt.succeeded()
  }
  const at = now()
  await updateProofTime(database.system, sessionId, at)
  return new Date(at.getTime() + proofMs)
}
