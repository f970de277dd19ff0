import { bodyLimits, bodyTooLarge } from './body-limits.ts'
import { Problem } from './problem.ts'
import {
  Contended,
  InvalidInput,
  MalformedBody,
  NoSuchRoute,
  Unavailable,
  Unexpected,
  UnsupportedMediaType,
} from './problems.ts'

/**
 * Turns whatever was thrown into a problem; the only place that knows the framework's and the driver's errors.
 *
 * @param bodyBytesMax the largest body that the route accepts
 */
export function asProblem(error: unknown, bodyBytesMax = bodyLimits.withoutCredential): Problem {
  if (error instanceof Problem) return error
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return bodyTooLarge(bodyBytesMax, error)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new UnsupportedMediaType({ cause: error })
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new MalformedBody({ detail: 'The body is not as long as its Content-Length says.', cause: error })
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new NoSuchRoute({ cause: error })
    case 'FST_ERR_BAD_URL':
      return new InvalidInput({
        issues: [
          {
            in: 'path',
            name: 'path',
            detail: 'The path is not a valid URL path.',
            remedy: 'Percent-encode each part of the path.',
          },
        ],
        cause: error,
      })
    // Two transactions in each other's way (PostgreSQL manual, 13.2 and 13.3.4): one of them was undone as a whole.
    case '40001':
    case '40P01':
      return new Contended({ cause: error })
  }
  if (isUnreachable(error)) return new Unavailable({ cause: error })
  if (statusCode === 413) return bodyTooLarge(bodyBytesMax, error)
  if (statusCode === 400) return new MalformedBody({ cause: error })
  return new Unexpected({ cause: error })
}

/**
 * Whether the database is away, full or read-only: SQLSTATE (PostgreSQL manual, appendix A), a failed socket, or the
 * driver's word.
 */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string') {
    if (/^[0-9A-Z]{5}$/.test(code) && 'severity' in error)
      return /^(08|53|57P0)/.test(code) || code === '25006' || code === '55P03'
    // Not every missing file: only a socket that could not be reached, or broke. Of several addresses tried, the sum
    // has no syscall.
    return error instanceof AggregateError
      ? error.errors.every(isUnreachable)
      : ['connect', 'read', 'write', 'getaddrinfo'].includes(String(syscall))
  }
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end)/.test(
    error.message,
  )
}
