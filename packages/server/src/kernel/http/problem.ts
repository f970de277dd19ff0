/**
 * Errors that callers can get. Declare a problem once (`problem({...})`) and throw it where it occurs;
 * `problem-document.ts` turns it into the response (RFC 9457). Only declared sentences, and what the thrower marks as
 * public, leave the process.
 */

/** The constant part of a kind of problem. */
export interface ProblemDeclaration {
  /** Stable machine code, kebab-case; in `context.code`, and the name of the problem's page. */
  code: string
  /** HTTP status, 400 to 599. */
  status: number
  /** Short English summary, the same for every occurrence. */
  title: string
  /** Explanation for an occurrence without a specific one. */
  detail: string
  /** How to resolve it, when there is one way. */
  remedy?: string
  /** Methods of the path, for the header `Allow` of status 405. */
  allow?: string
  /** Whether the same request may succeed later. */
  retryable: boolean
  /** Part of the service that throws it. */
  subsystem: string
}

/** One occurrence. All of it but `cause` is public. */
export interface Occurrence {
  detail?: string
  remedy?: string
  /** Root causes, in sentences that a user may see. */
  causes?: string[]
  /** Earliest time to try again. */
  retryAfter?: Date
  context?: Record<string, unknown>
  issues?: Issue[]
  /** Only for the log. */
  cause?: unknown
}

/** A part of a request that is validated against its schema. */
export type Part = 'path' | 'query' | 'body'

/** One invalid input. */
export interface Issue {
  in: Part | 'header'
  /** Path, as `items[0].x` in a body. */
  name: string
  value?: unknown
  detail: string
  remedy?: string
  context?: Record<string, unknown>
}

export class Problem extends Error {
  readonly declaration: ProblemDeclaration
  readonly occurrence: Occurrence

  constructor(declaration: ProblemDeclaration, occurrence: Occurrence) {
    super(
      occurrence.detail ?? declaration.detail,
      occurrence.cause === undefined ? undefined : { cause: occurrence.cause },
    )
    this.name = declaration.code
    this.declaration = declaration
    this.occurrence = occurrence
  }

  get issues(): Issue[] {
    return this.occurrence.issues ?? []
  }
}

/** A declared kind of problem; throw it with `new`. */
export interface ProblemClass {
  new (occurrence?: Occurrence): Problem
  readonly declaration: ProblemDeclaration
}

/** Declares a kind of problem. */
export function problem(declaration: ProblemDeclaration): ProblemClass {
  return class extends Problem {
    static readonly declaration = declaration
    constructor(occurrence: Occurrence = {}) {
      super(declaration, occurrence)
    }
  }
}
