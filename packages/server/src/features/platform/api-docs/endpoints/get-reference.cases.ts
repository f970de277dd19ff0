import { casesOf } from '../../../../testkit/cases.ts'
import { getReference } from './get-reference.ts'

export const cases = casesOf(getReference, {
  status: 200,
  example: { request: { query: { q: 'retry' } } },
  refused: { status: 400, request: { query: { q: 'a'.repeat(201) } } },
})
