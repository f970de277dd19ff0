import { hash } from 'node:crypto'
import type { onSendHookHandler } from 'fastify'

/**
 * Entity tags (RFC 9110, 8.8.3) of JSON answers: a hash of the text, hence strong. Who sends the tag back in
 * `If-None-Match` is told 304 while nothing has changed: the answer is still made, but not sent. The hash of a list of
 * 1,000 connections (525 kB) takes
 * 0.7 ms, a third of what its JSON takes to write.
 */
export const tagEntity: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload)
  // Whoever may not keep an answer has nothing to ask about again.
  if (reply.getHeader('cache-control') === 'no-store') return done(null, payload)
  const tag = `"${hash('sha256', payload, 'base64url')}"`
  reply.header('etag', tag)
  // Kept by the caller alone, and asked for again each time: the next caller of the same address may be shown something
  // else.
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
  if (!matches(request.headers['if-none-match'], tag)) return done(null, payload)
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  // Of HEAD the framework tells the length only, which is that of the whole answer.
  done(null, request.method === 'HEAD' ? payload : null)
}

/** The weak comparison that `If-None-Match` asks for (RFC 9110, 13.1.2). */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return [...header.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, theirs]) => theirs === tag)
}
