import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { CheckedCaller } from './caller-check.ts'

/** A request as Node hands it over. */
export interface NodeExchange {
  request: IncomingMessage
  response: ServerResponse
  server: Pick<Server, 'emit'>
}

export type Framework = (request: IncomingMessage, response: ServerResponse) => void

/** A request that failed on the fast path, for the framework to respond to. */
export interface LeftRequest {
  requestId: string
  caller: CheckedCaller
  /** Headers of the response, whatever it is. */
  headers: [name: string, value: string][]
  /** Absent when the caller exceeded its rate limit: see `admitted`. */
  error: Error | undefined
}
