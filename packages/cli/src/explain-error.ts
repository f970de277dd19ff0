import { MortiseProblem, MortiseUnreachable } from '@mortise/client'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { NotFound } from './service/not-found.ts'
import { NotSignedIn } from './service/not-signed-in.ts'
import { UsageError } from './usage-error.ts'

/** What an error shows to the person who runs the command. */
export interface Explanation {
  code: ExitCode
  /** What went wrong. */
  sentence: string
  /** What to do about it; absent where the sentence says it. */
  nextStep?: string
  /** For a report: code and request. */
  reference?: string
}

/** Returns what to print for an error, and the exit code. */
export function explainError(error: Error): Explanation {
  // Their messages say what to do.
  if (error instanceof UsageError) return { code: exitCodes.usage, sentence: error.message }
  if (error instanceof NotSignedIn) return { code: exitCodes.notAllowed, sentence: error.message }
  if (error instanceof NotFound) return { code: exitCodes.notFound, sentence: error.message }
  if (error instanceof MortiseUnreachable) return explainUnreachable(error)
  if (error instanceof MortiseProblem) return explainProblem(error)
  return { code: exitCodes.failed, sentence: error.message, nextStep: 'If this is unexpected, run `mortise doctor`.' }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: 'there is no host of this name',
  EAI_AGAIN: 'the name of the host could not be looked up',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
}

function explainUnreachable({ message }: MortiseUnreachable): Explanation {
  const [, origin = '', reason = ''] = /^(\S+) cannot be reached: (.*)$/s.exec(message) ?? []
  const isHere = URL.canParse(origin) && /^(localhost|127\.|\[::1\])/.test(new URL(origin).hostname)
  return {
    code: exitCodes.unreachable,
    sentence: origin === '' ? message : `Could not reach ${origin}: ${reasons[reason] ?? reason}.`,
    nextStep: isHere
      ? 'Is the service running? Start it with `npm start`, or set MORTISE_URL to its address.'
      : 'Check the address: --url, MORTISE_URL, or the service that you signed in to.',
  }
}

function explainProblem(error: MortiseProblem): Explanation {
  const { remedy, href } = error.document
  const isInvalid = error.code === 'invalid-input' && error.issues.length > 0
  // Only the issues: the sentences around them speak of the document that they are in.
  const [, ...issues] = error.message.split('\n')
  const isSaid = isInvalid || error.issues.some((issue) => remedy !== undefined && issue.remedy === remedy)
  const nextStep = isSaid
    ? undefined
    : (remedy ?? (error.retryable ? 'Try again in a moment.' : href === undefined ? undefined : `See ${href}`))
  return {
    code: exitCodeOf(error),
    sentence: isInvalid ? ['Invalid request:', ...issues].join('\n') : error.message,
    ...(nextStep !== undefined && { nextStep }),
    ...(error.requestId !== undefined && { reference: `code ${error.code}, request ${error.requestId}` }),
  }
}

function exitCodeOf({ status }: MortiseProblem): ExitCode {
  if (status === 404) return exitCodes.notFound
  return status === 401 || status === 403 ? exitCodes.notAllowed : exitCodes.failed
}
