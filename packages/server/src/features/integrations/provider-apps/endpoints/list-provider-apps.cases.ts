import { casesOf } from '../../../../testkit/cases.ts'
import { listProviderApps } from './list-provider-apps.ts'

export const cases = casesOf(listProviderApps, { status: 200 })
