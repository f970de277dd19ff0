import type { Credential } from './credential.ts'

export type ClientOptions = Credential & {
  /** Origin of the service, such as `https://mortise.example.com`. */
  baseUrl: string
  /** Id or name of the project that calls work in unless they name another. */
  project?: string
  /** Instead of the platform's. */
  fetch?: typeof globalThis.fetch
  /** Further attempts of calls that may safely be repeated. Default 3. */
  retries?: number
  /** For the headers of each attempt. Default 60,000. */
  timeoutMs?: number
  /** Headers of every call. */
  headers?: Record<string, string>
}
