import { type Keyring, signUrl } from '../../../kernel/encryption/index.ts'
import { withDownloadUrl } from './data-message.ts'
import { hasPartUrls, withPartUrls } from './part-urls.ts'

/** A message as it is stored. */
export interface KeptMessage {
  id: string
  payload: Buffer
  hasResult: boolean
}

const downloadMs = 15 * 60 * 1_000

/** Returns the exact body of an attempt that is made now. The lifetime of its download URLs starts now. */
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
