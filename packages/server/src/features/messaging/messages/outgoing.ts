import { type Keyring, signUrl } from '../../../kernel/encryption/index.ts'
import { withDownloadUrl } from './data-message.ts'
import { hasPartUrls, withPartUrls } from './part-urls.ts'

/** A message as it is kept. */
export interface KeptMessage {
  id: string
  payload: Buffer
  hasResult: boolean
}

const downloadMs = 15 * 60 * 1_000

/** The exact body of an attempt that is made now: download URLs in it are good from now on. */
export function outgoingBody(
  { keyring, publicUrl }: { keyring: Keyring; publicUrl: string },
  projectId: string,
  { id, payload, hasResult }: KeptMessage,
  time: Date,
): Buffer {
  if (!hasResult) return payload
  const urlOf = (part?: string) =>
    signUrl({
      key: keyring.derive('signed-url'),
      baseUrl: publicUrl,
      path: `/results/${id}`,
      expiresAt: new Date(time.getTime() + downloadMs),
      claims: { project: projectId, ...(part !== undefined && { part }) },
    })
  return hasPartUrls(payload) ? withPartUrls(payload, urlOf) : withDownloadUrl(payload, urlOf())
}
