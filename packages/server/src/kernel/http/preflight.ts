import type { IncomingMessage } from 'node:http'

/** A browser asks whether it may (Fetch standard, 3.2.2); any other OPTIONS is the provider's. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}
