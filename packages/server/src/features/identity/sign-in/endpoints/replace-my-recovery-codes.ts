import type { Config } from '../../../../config.ts'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import type { JobQueue } from '../../../../kernel/jobs/index.ts'
import { renewRecoveryCodes } from '../factors/factor-changes.ts'
import { RecoveryCodes } from '../factors/model.ts'
import { NoFactors, ProofRequired } from '../problems.ts'
import { requireProof } from '../proof.ts'

export const replaceMyRecoveryCodes = endpoint({
  id: 'replaceMyRecoveryCodes',
  method: 'POST',
  path: '/my-info/recovery-codes',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'Replace your recovery codes. The former ones stop working.',
  description: 'Needs a sign-in or a proof within the last ten minutes.',
  tag: 'Sign-in',
  extension: true,
  reply: { 201: RecoveryCodes },
  problems: [ProofRequired, NoFactors],
  run: async ({ caller }, services: { config: Config; database: Database; now: () => Date; queue: JobQueue }) => {
    await requireProof(services, caller)
    return reply(201, { recoveryCodes: await renewRecoveryCodes(services, caller.builderId) })
  },
})
