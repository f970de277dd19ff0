import type { ProviderHttp } from '../connector.ts'
import { ProviderError } from '../provider-error.ts'
import { withoutSecrets } from '../without-secrets.ts'

/** What a request of a test is for. `future` asks for changes that cannot be there yet. */
export const triedSteps = ['describe', 'backfill', 'scheduled', 'future', 'write', 'healthCheck', 'mcp', 'get'] as const
export type TriedStep = (typeof triedSteps)[number]

/** A request that was made, free of secrets. */
export interface TriedRequest {
  step: TriedStep
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
  /** Requests since the last call, in order. */
  take(): TriedRequest[]
  /** Says what the requests from now on are for. */
  begin(step: TriedStep): void
  /** A text of an answer without the credential. */
  safe(text: string): string
}

/**
 * Records each request, and refuses requests to other origins: a file that is only being tested must not decide where a
 * credential is sent.
 *
 * @param secrets returns the texts that must not appear in a record
 */
export function recordingHttp(
  http: ProviderHttp,
  { origins, secrets }: { origins: ReadonlySet<string>; secrets: () => readonly string[] },
): Recording {
  let requests: TriedRequest[] = []
  let step: TriedStep = 'describe'
  return {
    async http(request) {
      const { origin } = new URL(request.url)
      if (!origins.has(origin))
        throw new ProviderError(
          'bad_request',
          `The file sends requests to ${origin}, which is not an address of the connection’s provider (${[...origins].join(', ')}). Nothing was sent.`,
        )
      const begin = performance.now()
      const noted: TriedRequest = {
        step,
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
    begin(next) {
      step = next
    },
    safe: (text) => withoutSecrets(text, secrets()),
    take() {
      const taken = requests
      requests = []
      return taken
    },
  }
}
