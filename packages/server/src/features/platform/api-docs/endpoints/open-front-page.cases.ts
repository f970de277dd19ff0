import { casesOf } from '../../../../testkit/cases.ts'
import { openFrontPage } from './open-front-page.ts'

export const cases = casesOf(openFrontPage, { status: 200, refused: 'never' })
