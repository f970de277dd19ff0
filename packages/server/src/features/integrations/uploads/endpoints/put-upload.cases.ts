import { casesOf } from '../../../../testkit/cases.ts'
import { craftZip } from '../../../../testkit/craft-zip.ts'
import { contactsManifest } from '../../../../testkit/world.ts'
import { putUpload } from './put-upload.ts'

export const cases = casesOf(putUpload, {
  request: { query: { expires: '1', claims: 'x', signature: 'x' } },
  status: 403,
  example: {
    status: 204,
    request: async ({ make }) => {
      const { url } = await make<{ url: string }>('GET', '/generate-upload-url')
      const { pathname, searchParams } = new URL(url)
      return {
        params: { uploadId: pathname.split('/').at(-1)! },
        query: Object.fromEntries(searchParams),
        bytes: craftZip([{ name: 'mortise.yaml', content: contactsManifest('uploaded') }]),
      }
    },
  },
})
