import { readRecordIds } from './message.ts'
import { readBody } from './read-body.ts'

const bytesMax = 64 * 1024 * 1024
const timeoutMs = 30_000

/**
 * Fetches the records that did not fit in a message; answers their ids.
 * @throws Error when the address is not HTTP or answers anything but a JSON array within 30 s and 64 MB
 */
export async function downloadRecordIds(url: string, signal: AbortSignal): Promise<readonly (string | undefined)[]> {
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  })
  if (!response.ok || !response.body) {
    await response.body?.cancel()
    throw new Error(`the download failed with status ${response.status}`)
  }
  const result: unknown = JSON.parse((await readBody(response.body, bytesMax)).toString())
  if (!Array.isArray(result)) throw new Error('the download is not an array of records')
  return readRecordIds(result)
}
