import { casesOf } from '../../../../testkit/cases.ts'
import { updateApiKey } from './update-api-key.ts'

export const cases = casesOf(updateApiKey, {
  request: { body: { updateMask: ['label'], apiKey: { label: 'renamed' } } },
  status: 200,
  example: { request: { body: { updateMask: ['label'], apiKey: { label: 'our server' } } } },
})
