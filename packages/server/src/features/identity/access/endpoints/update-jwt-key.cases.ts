import { casesOf } from '../../../../testkit/cases.ts'
import { updateJWTKey } from './update-jwt-key.ts'

export const cases = casesOf(updateJWTKey, {
  request: { body: { updateMask: ['label'], jwtKey: { label: 'renamed' } } },
  status: 200,
  example: { request: { body: { updateMask: ['label'], jwtKey: { label: 'our server' } } } },
})
