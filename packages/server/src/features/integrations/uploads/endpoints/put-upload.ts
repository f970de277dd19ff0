import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { type Database, isId, type ProjectDb } from '../../../../kernel/db/index.ts'
import { type Keyring, verifySignedUrl } from '../../../../kernel/encryption/index.ts'
import {
  BodyTooLarge,
  Empty,
  endpoint,
  InvalidInput,
  type Issue,
  Path,
  Ref,
  reply,
} from '../../../../kernel/http/index.ts'
import { uploadBytesMax } from '../model.ts'
import { UploadGone, UploadUrlInvalid } from '../problems.ts'
import { findOpenUpload, updateUploadBody } from '../store.ts'

export const putUpload = endpoint({
  id: 'putUpload',
  method: 'PUT',
  path: '/uploads/{uploadId}',
  access: 'public',
  summary: 'Receive an upload at the URL from generateUploadUrl.',
  description:
    'The signature in the URL is the permission. The body is the file itself, at most 10 MB. A later upload to the same URL replaces an earlier one until a deploy has used it.',
  tag: 'Integrations',
  audit: { exempt: 'stores a file, whose deploy leaves an entry' },
  extension: true,
  params: Path({ uploadId: Ref }),
  query: Type.Object({
    expires: Type.String({ description: 'Part of the signed URL.' }),
    claims: Type.String({ description: 'Part of the signed URL.' }),
    signature: Type.String({ description: 'Part of the signed URL.' }),
  }),
  accepts: 'binary',
  bodyBytesMax: uploadBytesMax,
  reply: { 204: Empty },
  problems: [UploadUrlInvalid, UploadGone, BodyTooLarge],
  run: async (
    { params: { uploadId }, url, headers, body },
    { keyring, now, database }: { keyring: Keyring; now: () => Date; database: Database },
  ) => {
    const signed = verifySignedUrl({ keys: keyring.deriveAll('signed-url'), url, now: now() })
    const project = signed.ok && signed.claims['method'] === 'PUT' ? signed.claims['project'] : undefined
    if (project === undefined || !isId(uploadId)) throw new UploadUrlInvalid()
    const db: ProjectDb = database.forProject(project)
    const open = await findOpenUpload(db, uploadId)
    if (!open) throw new UploadGone()
    if (Number(headers['content-length']) > uploadBytesMax) throw new BodyTooLarge()
    const bytes = await readAll(body as unknown as Readable | null | undefined)
    refuseOtherFile(bytes, headers['content-md5']?.toString(), open.md5)
    if (!(await updateUploadBody(db, uploadId, bytes))) throw new UploadGone()
    return reply(204, null)
  },
})

async function readAll(body: Readable | null | undefined): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += (chunk as Buffer).length
    if (bytes > uploadBytesMax) throw new BodyTooLarge()
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/** An empty body, one that does not match its own checksum (RFC 1864), or one that was not announced. */
function refuseOtherFile(bytes: Buffer, header: string | undefined, announced: string | null): void {
  const md5 = createHash('md5').update(bytes).digest('base64')
  const issues: Issue[] = []
  if (bytes.length === 0)
    issues.push({ in: 'body', name: 'body', detail: 'The body is empty.', remedy: 'Send the file.' })
  if (header !== undefined && header !== md5)
    issues.push({
      in: 'header',
      name: 'Content-MD5',
      value: header,
      detail: `The MD5 of the body is ${md5}.`,
      remedy:
        'Send the base64 of the MD5 of the body, or leave the header out. If both are right, the body was damaged on its way.',
    })
  if (announced !== null && announced !== md5)
    issues.push({
      in: 'body',
      name: 'body',
      detail: `The URL was made for a file with the MD5 ${announced}; this one has ${md5}.`,
      remedy: 'Upload the file that was announced, or ask for a new URL.',
    })
  if (issues.length > 0) throw new InvalidInput({ issues })
}
