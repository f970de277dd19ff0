import { casesOf } from '../../../../testkit/cases.ts'
import { listSchemaWatches } from './list-schema-watches.ts'

export const cases = casesOf(listSchemaWatches, { status: 200 })
