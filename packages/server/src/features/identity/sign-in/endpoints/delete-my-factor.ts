import type { Config } from '../../../../config.ts'
import { type Database, isId } from '../../../../kernel/db/index.ts'
import { Empty, endpoint, Path, Ref, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import type { BuilderTokens } from '../builder-token.ts'
import { removeFactor } from '../factors/factor-changes.ts'
import { FactorNotFound, ProofRequired } from '../problems.ts'
import { requireProof } from '../proof.ts'

export const deleteMyFactor = endpoint({
  id: 'deleteMyFactor',
  method: 'DELETE',
  path: '/my-info/factors/{factorId}',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'Remove one of your second factors.',
  description: 'Your recovery codes go with the last one. Needs a sign-in or a proof within the last ten minutes.',
  tag: 'Sign-in',
  extension: true,
  params: Path({ factorId: Ref }),
  reply: { 204: Empty },
  problems: [ProofRequired, FactorNotFound],
  run: async (
    { caller, params: { factorId } },
    services: {
      builderTokens: BuilderTokens
      config: Config
      database: Database
      now: () => Date
      queue: JobQueue
    },
  ) => {
    await requireProof(services, caller)
    if (!isId(factorId)) throw new FactorNotFound()
    await removeFactor(services, { builderId: caller.builderId, factorId })
    services.builderTokens.forget(caller.sessionId)
    return reply(204, null)
  },
})
