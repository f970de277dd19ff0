import type { Problem } from './problem.ts'

/** A problem in plain text: one sentence a line, with what to do about it. */
export function problemText({ declaration, occurrence, issues }: Problem): string {
  const remedy = occurrence.remedy ?? (issues.length === 0 ? declaration.remedy : undefined)
  const first = [occurrence.detail ?? declaration.detail, remedy].filter(Boolean).join(' ')
  const lines = issues.slice(0, linesMax).map((issue) => [issue.detail, issue.remedy].filter(Boolean).join(' '))
  return lines.length > 0 ? lines.join('\n') : first
}

const linesMax = 100

const json = ['application/json', 'application/problem+json', 'application/*']

/**
 * Whether a client prefers JSON to plain text (RFC 9110, 12.5.1): it names JSON, and does not want text more. Who takes
 * anything has no preference.
 */
export function prefersJson(accept: string | undefined): boolean {
  const wanted = weightsOf(accept)
  return wanted(json) > 0 && wanted(json) >= wanted(['text/plain', 'text/*'])
}

/** Whether a client prefers a page to JSON, as a browser does that opens an address: it names HTML. */
export function prefersHtml(accept: string | undefined): boolean {
  const wanted = weightsOf(accept)
  return wanted(['text/html']) > wanted(json)
}

/** Returns how much a client wants one of these types; 0 if it names none. */
function weightsOf(accept = ''): (types: string[]) => number {
  const ranges = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.toLowerCase().split(';')
    const weight = parameters.map((parameter) => /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/.exec(parameter)?.[1])
    return { type: type.trim(), weight: Number(weight.find((found) => found !== undefined) ?? 1) }
  })
  return (types) => Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ weight }) => weight))
}
