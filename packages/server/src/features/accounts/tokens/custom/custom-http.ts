import type { ProviderHttp } from '@mortise/providers'
import type { Outbound } from '../../../../kernel/net/index.ts'

const timeoutMs = 10_000
const answerBytesMax = 1024 * 1024

/**
 * How custom authentication speaks to a provider: through the address guard, no redirect followed, little time and
 * little room.
 */
export function createCustomHttp({ outbound }: { outbound: Outbound }, project: string): ProviderHttp {
  return async ({ signal, body, ...request }) => {
    const answer = await outbound.request({
      ...request,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
      project,
      timeoutMs,
      maxBytes: answerBytesMax,
    })
    return { status: answer.status, headers: answer.headers, body: answer.body.toString('utf8') }
  }
}
