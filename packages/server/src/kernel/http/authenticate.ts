import type { Caller, CallerProject } from './operation.ts'

/** Who a credential belongs to. */
export interface Identity {
  caller: Caller
  project: CallerProject
}

/** Looks a credential up; undefined when it is unknown, inactive or malformed. Supplied by the access feature. */
export type Authenticate = (apiKey: string) => Promise<Identity | undefined>

/** The prefix of every key of ours; a bearer value that begins with it is an API key too. */
const keyPrefix = 'mortise_'

/** The API key that a request carries, in `X-Api-Key` or as a bearer token. Other tokens are no credential here. */
export function apiKeyOf(headers: Record<string, string | string[] | undefined>): string | undefined {
  const header = headers['x-api-key']
  if (typeof header === 'string' && header !== '') return header
  const bearer = /^Bearer +(\S+)$/i.exec(headers.authorization?.toString() ?? '')?.[1]
  return bearer?.startsWith(keyPrefix) ? bearer : undefined
}
