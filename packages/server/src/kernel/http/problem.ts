/**
 * Errors that callers can meet. A problem is declared once (`problem({...})`) and thrown where it is found;
 * `problem-document.ts` turns it into the answer (RFC 9457). Only the declared sentences and what the thrower marks as
 * public leave the process.
 */

/** What is said once about a kind of problem. */
export interface ProblemDeclaration {
  /** Stable machine code, kebab-case; in `context.code`, and the name of the problem's page. */
  code: string
  /** HTTP status, 400 to 599. */
  status: number
  /** Short English summary, the same for every occurrence. */
  title: string
  /** Explanation when an occurrence brings none of its own. */
  detail: string
  /** How to resolve it, when there is one way. */
  remedy?: string
  /** Whether the same request may succeed later. */
  retryable: boolean
  /** The part of the service that answers with it. */
  subsystem: string
}

/** What is said of one occurrence. All of it but `cause` is public. */
export interface Occurrence {
  detail?: string
  remedy?: string
  /** Root causes, in sentences that a user may see. */
  causes?: string[]
  /** Earliest time to try again. */
  retryAfter?: Date
  context?: Record<string, unknown>
  issues?: Issue[]
  /** For the log alone. */
  cause?: unknown
}

/** A part of a request that is checked against its schema. */
export type Part = 'path' | 'query' | 'body'

/** One invalid input. */
export interface Issue {
  in: Part | 'header'
  /** Where, as `items[0].x` in a body. */
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

/** A declared kind of problem: `new` it to throw. */
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
