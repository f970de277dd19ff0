import { type Client, verifyWebhook } from '@mortise/client'
import type { StreamedMessage } from './listen.ts'

/**
 * Verifies messages as the endpoint of the destination would. Requests the secret again if it was replaced meanwhile.
 *
 * @returns a function that returns what is wrong with a message; undefined if it is valid
 */
export function createVerifier(
  mortise: Client,
  destination: string,
  signal: AbortSignal,
): (message: StreamedMessage) => Promise<string | undefined> {
  const ask = async () => {
    const { secrets } = await mortise.getDestination({ destination, query: { includeSecrets: true } }, { signal })
    return secrets?.webhookSigningKey ?? ''
  }
  let secret: Promise<string> | undefined
  const faultOf = async ({ body = '', headers = {} }: StreamedMessage) => {
    secret ??= ask()
    try {
      verifyWebhook(body, headers, await secret)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }
  return async (message) => {
    const fault = await faultOf(message)
    if (fault === undefined) return undefined
    secret = undefined
    return await faultOf(message)
  }
}
