import { casesOf } from '../../../../testkit/cases.ts'
import { getMyInfo } from './get-my-info.ts'

export const cases = casesOf(getMyInfo, { status: 200, namesNoIds: true })
