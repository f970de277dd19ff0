import { casesOf } from '../../../../testkit/cases.ts'
import { getManagementServerMetadata } from './get-management-server-metadata.ts'

export const cases = casesOf(getManagementServerMetadata, {
  status: 200,
  refused: 'never',
})
