import { casesOf } from '../../../../testkit/cases.ts'
import { listProviders } from './list-providers.ts'

export const cases = casesOf(listProviders, { status: 200, refused: 'never' })
