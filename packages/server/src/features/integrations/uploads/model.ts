import { Type } from 'typebox'
import { named, secret } from '../../../kernel/http/index.ts'

/** Bytes of an upload at most. */
export const uploadBytesMax = 10 * 1024 * 1024
/** Uploads of a project that wait for their deploy at most. */
export const uploadsOpenMax = 100
/** How long an upload and its URL live. */
export const uploadMinutes = 15

const bucket = 'uploads'

export const SignedUrl = named(
  'SignedUrl',
  Type.Object({
    // Whoever has it may upload.
    url: secret(Type.String({ description: 'PUT the file here within 15 minutes, without a credential.' })),
    bucket: Type.String({ description: 'First part of the source URL.' }),
    path: Type.String({ description: 'Second part: deploy `gs://{bucket}/{path}` as `sourceZipUrl`.' }),
  }),
)

/** Path of an upload as the service sees it. */
export function uploadPath(uploadId: string): string {
  return `/v1/${bucket}/${uploadId}`
}

/** Names an upload to its uploader: `gs://{bucket}/{path}`, where `url` ends in both. */
export function uploadPlace(uploadId: string): { bucket: string; path: string } {
  return { bucket, path: uploadId }
}

/**
 * The upload that a URL names: `gs://{bucket}/{path}`, or the URL that it was uploaded to. `undefined` where the URL is
 * none of ours; an id that cannot be one is answered as it is and found nowhere.
 */
export function uploadIdOf(url: URL, publicUrl: string): string | undefined {
  if (url.protocol === 'gs:') return url.host === bucket ? url.pathname.replace(/^\/+/, '') : ''
  const prefix = uploadPath('')
  return url.origin === publicUrl && url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : undefined
}

/** A base64 MD5 as in the header Content-MD5: 16 bytes in their one spelling. */
export function isMd5(text: string): boolean {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === 16 && bytes.toString('base64') === text
}
