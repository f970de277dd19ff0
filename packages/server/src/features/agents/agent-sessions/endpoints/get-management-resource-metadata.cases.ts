import { casesOf } from '../../../../testkit/cases.ts'
import { getManagementResourceMetadata } from './get-management-resource-metadata.ts'

export const cases = casesOf(getManagementResourceMetadata, {
  status: 200,
  refused: 'never',
})
