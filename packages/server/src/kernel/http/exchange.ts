import type { ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** What endpoints read of a request: of the framework, or on the fast path. */
export type EndpointRequest = Pick<
  FastifyRequest,
  | 'raw'
  | 'socket'
  | 'method'
  | 'originalUrl'
  | 'headers'
  | 'params'
  | 'query'
  | 'body'
  | 'id'
  | 'ip'
  | 'log'
  | 'identity'
  | 'plainBadRequests'
  | 'idempotencyClaim'
>

/** How endpoints respond: by the framework, or on the fast path. */
export interface EndpointReply extends HeaderSink {
  readonly raw: ServerResponse
  code(status: number): EndpointReply
  headers(values: Record<string, string | string[]>): EndpointReply
  hasHeader(name: string): boolean
  type(mediaType: string): EndpointReply
  send(body?: unknown): EndpointReply
}

export interface HeaderSink {
  header(name: string, value: string): unknown
}

/** Validates, authorizes, runs and responds. The caller is authenticated. */
export type Handler = (request: EndpointRequest, reply: EndpointReply) => Promise<unknown>
