import { ProviderError } from '../provider-error.ts'

/** Common servers refuse a request line, or all headers together, of more than this. */
const urlBytesMax = 16_384

/** @throws ProviderError `bad_request` for a URL that servers refuse, in words that say more than theirs */
export function sendable({ href }: URL): string {
  if (href.length <= urlBytesMax) return href
  throw new ProviderError(
    'bad_request',
    `The request is not sent: its URL has ${href.length} bytes, and ${urlBytesMax} is the limit. Select fewer fields.`,
  )
}
