import { casesOf } from '../../../../testkit/cases.ts'
import { listConfigs } from './list-configs.ts'

export const cases = casesOf(listConfigs, { request: { query: { pageSize: '10' } }, status: 200 })
