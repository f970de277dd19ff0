import { casesOf } from '../../../../testkit/cases.ts'
import { showForgotPage } from './show-forgot-page.ts'

export const cases = casesOf(showForgotPage, { status: 200, refused: 'never' })
