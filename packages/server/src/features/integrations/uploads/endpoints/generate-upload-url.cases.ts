import { casesOf } from '../../../../testkit/cases.ts'
import { generateUploadUrl } from './generate-upload-url.ts'

export const cases = casesOf(generateUploadUrl, {
  request: (ids) => ({ query: { projectIdOrName: ids.projectIdOrName } }),
  status: 200,
  statusFor: {
    'a full key of another project': 404,
    'a viewer': 403,
    'an operator': 403,
    'a builder of another organisation': 404,
  },
  writesOnGet: 'It reserves an upload, which expires. No two are the same.',
})
