import { isRaw, mayRepeat } from './add-endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { Hoist } from './openapi-hoist.ts'
import { headersOf, refs } from './openapi-shared.ts'
import { isForFrontends, permissions } from './permissions.ts'
import type { ProblemClass } from './problem.ts'
import { problemDocument } from './problem-document.ts'
import { problemSchema } from './problem-schema.ts'
import {
  BodyTooLarge,
  Contended,
  Forbidden,
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  IdempotencyKeyUnfinished,
  InvalidInput,
  kernelProblems,
  MalformedBody,
  NotFound,
  RateLimited,
  SecondFactorMissing,
  UnacceptableInput,
  Unauthenticated,
  Unavailable,
  Unexpected,
  UnsupportedMediaType,
} from './problems.ts'

type Declaration = Endpoint['declaration']

interface ProblemAnswer {
  reference: { $ref: string }
  content: Record<string, unknown>
}

/** Problem responses of the endpoints, each defined once in `components.responses`, however many endpoints share it. */
export interface ProblemAnswers {
  of(declaration: Declaration): [status: string, answer: ProblemAnswer][]
  shared: Record<string, unknown>
}

export function createProblemAnswers(hoist: Hoist): ProblemAnswers {
  const shared: Record<string, unknown> = {}

  function answer(declaration: Declaration, name: string, description: string, codes: string[]): ProblemAnswer {
    const key = `${name}${declaration.access === 'public' ? '.public' : mayRepeat(declaration) ? '.repeatable' : ''}`
    const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
    const content = {
      'application/problem+json': { schema: hoist(problemSchema), ...(codes.length > 0 && { examples }) },
    }
    shared[key] ??= {
      description,
      headers: { ...headersOf(declaration, false), ...refs(['Retry-After']) },
      content,
      ...(codes.length > 0 && { 'x-mortise-problems': codes }),
    }
    return { reference: { $ref: `#/components/responses/${key}` }, content }
  }

  return {
    shared,
    of: (declaration) => [
      ...problemsByStatus(declaration).map(([status, codes]): [string, ProblemAnswer] => [
        status,
        answer(declaration, codes.join('_'), `Problem: ${codes.join(', ')}.`, codes),
      ]),
      ['default', answer(declaration, 'problem', 'Any other problem.', anywhere)],
    ],
  }
}

/** Returns the codes of an endpoint's problems by status: the declared ones, and those that follow from its shape. */
function problemsByStatus(declaration: Declaration): [status: string, codes: string[]][] {
  const byStatus = new Map<string, Set<string>>()
  for (const { declaration: problem } of [...(declaration.problems ?? []), ...problemsOfShape(declaration)]) {
    const status = String(problem.status)
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(problem.code))
  }
  return [...byStatus]
    .toSorted(([one], [two]) => Number(one) - Number(two))
    .map(([status, codes]) => [status, [...codes]])
}

/** Returns the problems that the kernel throws for an endpoint of this shape. */
function problemsOfShape(declaration: Declaration): ProblemClass[] {
  const { access, beforeSecondFactor, path, params, query, body, accepts, produces, invalidInputStatus } = declaration
  const verdicts: string[] = Object.values(permissions[access])
  const takesInput = params !== undefined || query !== undefined || body !== undefined
  return [
    ...(takesInput && invalidInputStatus === undefined ? [InvalidInput] : []),
    ...(body ? [MalformedBody, BodyTooLarge, UnsupportedMediaType] : []),
    ...(isRaw(declaration.accepts) ? [BodyTooLarge] : []),
    // Pages accept forms in a single media type.
    ...(accepts === 'binary' && produces?.startsWith('text/html') ? [UnsupportedMediaType] : []),
    ...(access === 'public' ? [RateLimited] : [Unauthenticated, RateLimited]),
    // A consumer token that names another group is rejected wherever consumers may call.
    ...(verdicts.includes('forbidden') || isForFrontends(access) ? [Forbidden] : []),
    ...(access !== 'public' && !beforeSecondFactor ? [SecondFactorMissing] : []),
    ...(access !== 'public' && /\{(projectIdOrName|orgId)\}/.test(path) ? [NotFound] : []),
    ...(mayRepeat(declaration) ? [IdempotencyKeyInUse, IdempotencyKeyUnfinished, IdempotencyKeyReused] : []),
  ]
}

/** Codes of problems that any request can cause. */
const anywhere = [Unexpected, Unavailable, Contended].map(({ declaration }) => declaration.code)

const requestId = '019a8f00-0000-7000-8000-0000000000ff'
const time = new Date('2026-03-01T09:30:00.000Z')
const exampleIssue = {
  in: 'body',
  name: 'name',
  value: '',
  detail: 'name must have at least 1 character.',
} as const

/** Returns an example response for every problem, by code. */
export function problemExamples(endpoints: Endpoint[], publicUrl: string): Record<string, object> {
  const classes = [...kernelProblems, ...endpoints.flatMap(({ declaration }) => declaration.problems ?? [])]
  return Object.fromEntries(
    classes.map((ProblemOf) => {
      const { code, title, retryable } = ProblemOf.declaration
      const hasIssues = ProblemOf === InvalidInput || ProblemOf === UnacceptableInput
      const occurrence = new ProblemOf({
        ...(hasIssues && { issues: [exampleIssue] }),
        ...(retryable && { retryAfter: new Date(time.getTime() + 5_000) }),
      })
      return [code, { summary: title, value: problemDocument(occurrence, requestId, time, { publicUrl, support: {} }) }]
    }),
  )
}
