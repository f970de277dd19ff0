import type { FastifyCorsOptions } from '@fastify/cors'

/**
 * What pages of other origins may do (contract 7.6): everything that a key or token lets them, from anywhere, because both travel in
 * headers that a page sets itself. Never with cookies: `Access-Control-Allow-Credentials` is sent nowhere, so that no page can read
 * an answer that a builder's browser signed in to get.
 */
export const corsOptions: FastifyCorsOptions = {
  origin: '*',
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
  // Whatever headers the page asks for; clients name themselves in many.
  allowedHeaders: null as never,
  // As text: the list would be joined anew for every answer.
  exposedHeaders: [
    'X-Request-Id',
    'RateLimit',
    'RateLimit-Policy',
    'Retry-After',
    'ETag',
    'Idempotency-Replayed',
    'Link',
    'X-Next-Page-Token',
  ].join(', '),
  credentials: false,
  maxAge: 86_400,
  strictPreflight: false,
}
