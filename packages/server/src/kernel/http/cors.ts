import type { FastifyCorsOptions } from '@fastify/cors'
import type { HeaderSink } from './exchange.ts'

/** As text, so that the list is not joined again for every response. */
const exposedHeaders = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'X-Next-Page-Token',
].join(', ')

/**
 * CORS options (contract 7.6). Pages of any origin may do all that a key or token permits, because both travel in
 * headers that the page sets. Cookies are never allowed: no response has `Access-Control-Allow-Credentials`, so no page
 * can read a response to a builder's signed-in browser.
 */
export const corsOptions: FastifyCorsOptions = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  // Allows all headers that the page requests; client libraries send many to identify themselves.
  allowedHeaders: null as never,
  exposedHeaders,
  credentials: false,
  maxAge: 86_400,
  strictPreflight: false,
}

/**
 * Sets the constant CORS headers of endpoint responses. The plugin evaluates its options for each request, so it only
 * handles preflight requests and paths that are not endpoints.
 */
export function allowAnyOrigin(reply: HeaderSink): void {
  reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', exposedHeaders)
}
