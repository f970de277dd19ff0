import { casesOf } from '../../../../testkit/cases.ts'
import { listIntegrations } from './list-integrations.ts'

export const cases = casesOf(listIntegrations, { status: 200 })
