import { Type } from 'typebox'
import { named, secret } from '../../../kernel/http/index.ts'

/** Maximum size of an upload, in bytes. */
export const uploadBytesMax = 10 * 1024 * 1024
/** Maximum number of uploads of a project that wait for their deploy. */
export const uploadsOpenMax = 100
/** Lifetime of an upload and its URL. */
export const uploadMinutes = 15

const bucket = 'uploads'

export const SignedUrl = named(
  'SignedUrl',
  Type.Object({
    // The URL alone authorizes the upload.
    url: secret(Type.String({ description: 'PUT the file here within 15 minutes, without a credential.' })),
    bucket: Type.String({ description: 'First part of the source URL.' }),
    path: Type.String({ description: 'Second part: deploy `gs://{bucket}/{path}` as `sourceZipUrl`.' }),
  }),
)

/** Returns the path of an upload at the service. */
export function uploadPath(uploadId: string): string {
  return `/v1/${bucket}/${uploadId}`
}

/** Names an upload for its uploader: `gs://{bucket}/{path}`. `url` ends in both. */
export function uploadLocation(uploadId: string): { bucket: string; path: string } {
  return { bucket, path: uploadId }
}

/**
 * Returns the id of the upload that a URL names: `gs://{bucket}/{path}`, or the URL of the PUT request. Undefined for
 * any other URL. An invalid id is returned as it is; no upload has it.
 */
export function uploadIdOf(url: URL, publicUrl: string): string | undefined {
  if (url.protocol === 'gs:') return url.host === bucket ? url.pathname.replace(/^\/+/, '') : ''
  const prefix = uploadPath('')
  return url.origin === publicUrl && url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : undefined
}

/** Whether the text is a base64 MD5 as in the header Content-MD5: 16 bytes in canonical form. */
export function isMd5(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 16 && bytes.toString('base64') === text
}
