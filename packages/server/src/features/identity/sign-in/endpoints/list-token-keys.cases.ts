import { casesOf } from '../../../../testkit/cases.ts'
import { listTokenKeys } from './list-token-keys.ts'

export const cases = casesOf(listTokenKeys, { status: 200, refused: 'never' })
