import type { ProviderHttp } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { withoutSecrets } from '../without-secrets.ts'

/** A request that was made, free of secrets. */
export interface TriedRequest {
  method: string
  /** With the credential taken out. */
  url: string
  /** Absent when no answer came. */
  status?: number
  durationMs: number
  /** Size of the answer's text. */
  bytes?: number
}

export interface Recording {
  http: ProviderHttp
  /** What was asked since the last call, in order. */
  take(): TriedRequest[]
}

/**
 * Notes each request, and makes none that leaves the origins: a file that is only being tried must not say where a credential goes.
 *
 * @param secrets what must stand in no note, asked when a note is made
 */
export function recordingHttp(
  http: ProviderHttp,
  { origins, secrets }: { origins: ReadonlySet<string>; secrets: () => readonly string[] },
): Recording {
  let requests: TriedRequest[] = []
  return {
    async http(request) {
      const { origin } = new URL(request.url)
      if (!origins.has(origin))
        throw new ProviderError(
          'bad_request',
          `The file asks ${origin}, which is no address of the provider that the connection belongs to (${[...origins].join(', ')}). Nothing was sent.`,
        )
      const begin = performance.now()
      const noted: TriedRequest = {
        method: request.method,
        url: withoutSecrets(request.url, secrets()),
        durationMs: 0,
      }
      requests.push(noted)
      try {
        const answer = await http(request).catch((error: unknown) => {
          // A connection that was kept open may end at any moment; the second one is new.
          const broke = error instanceof Error && error.name === 'OutboundError' && request.signal?.aborted !== true
          if (!broke || request.method !== 'GET') throw error
          return http(request)
        })
        noted.status = answer.status
        noted.bytes = Buffer.byteLength(answer.body)
        return answer
      } finally {
        noted.durationMs = Math.round(performance.now() - begin)
      }
    },
    take() {
      const taken = requests
      requests = []
      return taken
    },
  }
}
