import { casesOf } from '../../../../testkit/cases.ts'
import { getSchema } from './get-schema.ts'

export const cases = casesOf(getSchema, {
  status: 404,
  example: { status: 200, request: { params: { schema: 'manifest.json' } } },
})
