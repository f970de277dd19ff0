import { casesOf } from '../../../../testkit/cases.ts'
import { newJwtKey } from '../../../../testkit/tenant.ts'
import { createJWTKey } from './create-jwt-key.ts'

export const cases = casesOf(createJWTKey, {
  request: () => ({ body: newJwtKey() }),
  status: 201,
})
