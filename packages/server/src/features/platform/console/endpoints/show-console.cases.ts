import { casesOf } from '../../../../testkit/cases.ts'
import { showConsole } from './show-console.ts'

export const cases = casesOf(showConsole, { status: 200, refused: 'never' })
