import { casesOf } from '../../../../../testkit/cases.ts'
import { getConnectScript } from './get-connect-script.ts'

export const cases = casesOf(getConnectScript, { status: 302, refused: 'never' })
