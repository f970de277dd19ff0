import { casesOf } from '../../../../testkit/cases.ts'
import { openFrontPage } from './open-front-page.ts'

export const cases = casesOf(openFrontPage, { status: 302, refused: 'never' })
