import { Problem } from './problem.ts'
import { BodyTooLarge, InvalidInput, MalformedBody, Unavailable, Unexpected, UnsupportedMediaType } from './problems.ts'

/** Turns whatever was thrown into a problem; the only place that knows the framework's and the driver's errors. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new BodyTooLarge({ cause: error })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new UnsupportedMediaType({ cause: error })
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new MalformedBody({ detail: 'A JSON body is announced, but it is empty.', cause: error })
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
  }
  if (typeof code === 'string' && unreachable(code)) return new Unavailable({ cause: error })
  if (statusCode === 413) return new BodyTooLarge({ cause: error })
  if (statusCode === 400) return new MalformedBody({ cause: error })
  return new Unexpected({ cause: error })
}

/** SQLSTATE classes and system errors that mean: the database is away, full or read-only (PostgreSQL manual, appendix A). */
function unreachable(code: string): boolean {
  return (
    /^(08|53|57P0)/.test(code) ||
    ['25006', 'ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', '55P03'].includes(code)
  )
}
