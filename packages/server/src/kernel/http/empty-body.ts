import { Readable } from 'node:stream'
import type { preParsingHookHandler } from 'fastify'

/**
 * Gives a request without a body a stream that ends. Node has already ended the stream of such a request
 * (`optimizeEmptyRequests`), so a parser that the framework starts for its `Content-Type` would wait for an end that
 * never comes.
 */
export const endEmptyBody: preParsingHookHandler = ({ headers }, _reply, payload, done) => {
  const isWaitedFor =
    headers['content-type'] !== undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined
  done(null, isWaitedFor ? Readable.from([]) : payload)
}
