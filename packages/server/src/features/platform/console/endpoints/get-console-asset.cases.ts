import { casesOf } from '../../../../testkit/cases.ts'
import { getConsoleAsset } from './get-console-asset.ts'

export const cases = casesOf(getConsoleAsset, {
  status: 404,
  example: { status: 200, request: { params: { file: 'main.test.js' } } },
})
