import { Type } from 'typebox'
import type { Database } from '../../../../kernel/db/index.ts'
import { endpoint, reply } from '../../../../kernel/http/index.ts'
import { countRecoveryCodes, listFactors } from '../factors/factor-store.ts'
import { Factor, factorResource } from '../factors/model.ts'

export const listMyFactors = endpoint({
  id: 'listMyFactors',
  method: 'GET',
  path: '/my-info/factors',
  access: 'builder',
  beforeSecondFactor: true,
  summary: 'List your second factors.',
  tag: 'Sign-in',
  extension: true,
  reply: {
    200: Type.Object({
      factors: Type.Array(Factor, { description: 'Your factors, in the order of their creation.' }),
      recoveryCodesLeft: Type.Integer({ description: 'How many recovery codes you have not used.' }),
    }),
  },
  run: async ({ caller: { builderId } }, { database }: { database: Database }) => {
    const factors = await listFactors(database.system, builderId)
    const recoveryCodesLeft = await countRecoveryCodes(database.system, builderId)
    return reply(200, { factors: factors.map(factorResource), recoveryCodesLeft })
  },
})
