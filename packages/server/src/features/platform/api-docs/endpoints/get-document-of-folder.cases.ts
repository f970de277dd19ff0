import { casesOf } from '../../../../testkit/cases.ts'
import { getDocumentOfFolder } from './get-document-of-folder.ts'

export const cases = casesOf(getDocumentOfFolder, {
  status: 404,
  example: { status: 200, request: { params: { folder: 'events', page: 'connection.created' } } },
  refused: { status: 404, request: { params: { folder: 'events', page: 'no-such-page' } } },
})
