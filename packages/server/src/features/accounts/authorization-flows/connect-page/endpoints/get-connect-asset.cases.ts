import { casesOf } from '../../../../../testkit/cases.ts'
import { getConnectAsset } from './get-connect-asset.ts'

export const cases = casesOf(getConnectAsset, {
  status: 404,
  example: { status: 200, request: { params: { script: 'connect.test.js' } } },
})
