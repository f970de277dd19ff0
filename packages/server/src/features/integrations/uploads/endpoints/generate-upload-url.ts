import { Type } from 'typebox'
import type { Database, NewId } from '../../../../kernel/db/index.ts'
import { type Keyring, signUrl } from '../../../../kernel/encryption/index.ts'
import { endpoint, Forbidden, NotFound, reply, UnacceptableInput } from '../../../../kernel/http/index.ts'
import { isMd5, SignedUrl, uploadLocation, uploadMinutes, uploadPath } from '../model.ts'
import { TooManyUploads } from '../problems.ts'
import { insertUpload } from '../store.ts'
import { uploadProject } from '../upload-project.ts'

export const generateUploadUrl = endpoint({
  id: 'generateUploadUrl',
  method: 'GET',
  path: '/generate-upload-url',
  access: 'account',
  summary: 'Create a URL to upload a zip of source files.',
  description:
    'PUT the zip to `url`, then deploy `gs://{bucket}/{path}` as `sourceZipUrl`. It serves one deploy, for 15 minutes. People need the role `developer` in the project.',
  tag: 'Integrations',
  query: Type.Object({
    projectIdOrName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Extension: the project to upload for. An API key has one; builders with several must say which.',
      }),
    ),
    md5: Type.Optional(Type.String({ description: 'MD5 of the file in base64; no other file is accepted then.' })),
  }),
  reply: { 200: SignedUrl },
  problems: [UnacceptableInput, NotFound, Forbidden, TooManyUploads],
  run: async (
    { query: { md5, projectIdOrName }, ...who },
    {
      database,
      keyring,
      newId,
      now,
      publicUrl,
    }: { database: Database; keyring: Keyring; newId: NewId; now: () => Date; publicUrl: string },
  ) => {
    if (md5 !== undefined && !isMd5(md5)) {
      throw new UnacceptableInput({
        issues: [
          {
            in: 'query',
            name: 'md5',
            value: md5,
            detail: 'md5 is not the base64 of an MD5.',
            remedy: 'Send the 16 bytes of the MD5 in base64, percent-encoded, or leave md5 out.',
          },
        ],
      })
    }
    const db = database.forProject(await uploadProject(database, who, projectIdOrName))
    const uploadId = newId()
    if (!(await insertUpload(db, uploadId, md5))) throw new TooManyUploads()
    const url = signUrl({
      key: keyring.derive('signed-url'),
      baseUrl: publicUrl,
      path: uploadPath(uploadId),
      expiresAt: new Date(now().getTime() + uploadMinutes * 60_000),
      claims: { method: 'PUT', project: db.projectId },
    })
    return reply(200, { url, ...uploadLocation(uploadId) })
  },
})
