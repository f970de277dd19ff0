import { ProviderError } from '../provider-error.ts'

/** Common servers refuse a request line, or all headers together, of more than this. */
const urlBytesMax = 16_384

/**
 * Returns the URL if servers take one of its length.
 *
 * @param advice what to do about a URL that is too long
 * @throws ProviderError `bad_request` for a URL that servers refuse, in words that say more than theirs
 */
export function sendableUrl(url: string, advice = ''): string {
  if (url.length <= urlBytesMax) return url
  throw new ProviderError(
    'bad_request',
    `The request is not sent: its URL has ${url.length} bytes, and ${urlBytesMax} is the limit.${advice}`,
  )
}
