import type { components } from './generated/types.ts'

/** A problem document (RFC 9457) as the service answers it. */
export type ProblemDocument = components['schemas']['Problem']
/** One invalid input of a problem. */
export type ProblemIssue = NonNullable<ProblemDocument['issues']>[number]

/** The service answered with a problem. */
export class MortiseProblem extends Error {
  override readonly name = 'MortiseProblem'
  /** HTTP status. */
  readonly status: number
  /** Stable machine code, such as `not-found`; every code is explained in the reference of errors. */
  readonly code: string
  /** Every invalid input; empty when the problem is another. */
  readonly issues: ProblemIssue[]
  /** Quote it when you report the problem. */
  readonly requestId: string | undefined
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** The whole document. */
  readonly document: ProblemDocument

  constructor(document: ProblemDocument, status: number, requestId: string | undefined) {
    const issues = document.issues ?? []
    super([document.detail ?? document.title ?? `HTTP ${status}`, ...issues.map(sentence)].join('\n'))
    this.status = status
    this.code = String(document.context?.['code'] ?? 'unknown')
    this.issues = issues
    this.requestId = document.requestId ?? requestId
    this.retryable = document.retryable ?? false
    this.document = document
  }
}

/** No answer came, after every retry: the service cannot be reached, or took longer than `timeoutMs`. */
export class MortiseUnreachable extends Error {
  override readonly name = 'MortiseUnreachable'
}

/** The problem that an answer holds; one of another shape when something before the service answered. */
export async function problemOf(answer: Response): Promise<MortiseProblem> {
  const text = await answer.text()
  const requestId = answer.headers.get('x-request-id') ?? undefined
  try {
    const document = JSON.parse(text) as ProblemDocument
    if (typeof document === 'object' && document !== null) return new MortiseProblem(document, answer.status, requestId)
  } catch {
    // Not JSON: a proxy in between answered.
  }
  const document = {
    title: answer.statusText,
    status: answer.status,
    detail: `HTTP ${answer.status} ${answer.statusText}`.trim(),
  }
  return new MortiseProblem(document as ProblemDocument, answer.status, requestId)
}

function sentence({ in: part, name, detail, remedy }: ProblemIssue): string {
  return `- ${part} ${name}: ${detail ?? 'is not valid'}${remedy ? ` ${remedy}` : ''}`
}
