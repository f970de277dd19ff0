import { hash } from 'node:crypto'
import type { onSendHookHandler } from 'fastify'

/**
 * Adds entity tags (RFC 9110, 8.8.3) to JSON responses: a hash of the text, hence strong. A client that sends the tag
 * in `If-None-Match` receives 304 while nothing has changed. The response is still computed, but not sent. The hash of
 * a list of 1,000 connections (525 kB) takes 0.7 ms, a third of the time to serialize its JSON.
 */
export const tagEntity: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (reply.statusCode !== 200 || typeof payload !== 'string') return done(null, payload)
  // A client that must not store the response cannot revalidate it.
  if (reply.getHeader('cache-control') === 'no-store') return done(null, payload)
  const tag = entityTagOf(payload)
  reply.header('etag', tag)
  // Only the client stores it, and revalidates each time: another caller of the same URL may get other content.
  if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
  if (!matchesTag(request.headers['if-none-match'], tag)) return done(null, payload)
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  // For HEAD the framework sends only the length, which must be that of the full response.
  done(null, request.method === 'HEAD' ? payload : null)
}

/** The strong entity tag of a text. */
export function entityTagOf(text: string): string {
  return `"${hash('sha256', text, 'base64url')}"`
}

/** The weak comparison of `If-None-Match` (RFC 9110, 13.1.2). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return [...header.matchAll(/(?:W\/)?("[^"]*")/g)].some(([, theirs]) => theirs === tag)
}
