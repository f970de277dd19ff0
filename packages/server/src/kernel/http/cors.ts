import type { FastifyCorsOptions } from '@fastify/cors'
import type { FastifyReply } from 'fastify'

/** As text: the list would be joined anew for every answer. */
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
 * What pages of other origins may do (contract 7.6): everything that a key or token lets them, from anywhere, because
 * both travel in headers that a page sets itself. Never with cookies: `Access-Control-Allow-Credentials` is sent
 * nowhere, so that no page can read an answer that a builder's browser signed in to get.
 */
export const corsOptions: FastifyCorsOptions = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  // Whatever headers the page asks for; clients name themselves in many.
  allowedHeaders: null as never,
  exposedHeaders,
  credentials: false,
  maxAge: 86_400,
  strictPreflight: false,
}

/**
 * What the answers of endpoints say, always the same. The plugin, which weighs its options anew for each request,
 * answers what is asked before them and what is no endpoint.
 */
export function allowAnyOrigin(reply: FastifyReply): void {
  reply.header('access-control-allow-origin', '*').header('access-control-expose-headers', exposedHeaders)
}
