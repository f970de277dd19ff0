import type { Issue, Problem } from './problem.ts'

/** Support contacts that the operator configured; every problem contains them. */
export interface SupportContacts {
  email?: string
  phone?: string
  url?: string
}

export interface ProblemSettings {
  /** Public origin of the service, without a trailing slash. */
  publicUrl: string
  support: SupportContacts
}

/** Maximum number of listed issues; `context.issuesTotal` has the total. */
const issuesMax = 100

/** Returns the response body of a problem: RFC 9457, section 3, with the extensions of the interface. */
export function problemDocument(
  problem: Problem,
  requestId: string,
  time: Date,
  settings: ProblemSettings,
): Record<string, unknown> {
  const { declaration, occurrence } = problem
  const issues = occurrence.issues
  const cut = issues !== undefined && issues.length > issuesMax
  const shownIssues = issues?.slice(0, issuesMax)
  return compact({
    type: 'about:blank',
    href: `${settings.publicUrl}/problems/${declaration.code}`,
    title: declaration.title,
    status: declaration.status,
    detail: occurrence.detail ?? declaration.detail,
    instance: `urn:uuid:${requestId}`,
    subsystem: declaration.subsystem,
    time: time.toISOString(),
    requestId,
    causes: occurrence.causes ?? causesOf(shownIssues),
    remedy: occurrence.remedy ?? onlyRemedy(shownIssues) ?? declaration.remedy,
    supportEmail: settings.support.email,
    supportPhone: settings.support.phone,
    supportUrl: settings.support.url,
    retryable: declaration.retryable,
    retryAfter: occurrence.retryAfter?.toISOString(),
    context: { code: declaration.code, ...occurrence.context, ...(cut && { issuesTotal: issues.length }) },
    issues: shownIssues?.map((issue) => issueDocument(issue, declaration.status)),
  })
}

/** Returns what is wrong with each input, for clients that show `causes` and `remedy`, and not `issues`. */
function causesOf(issues: readonly Issue[] = []): string[] | undefined {
  return issues.length > 0 ? [...new Set(issues.map(({ detail }) => detail))] : undefined
}

/** Returns the remedy of the issues if all have the same. */
function onlyRemedy(issues: readonly Issue[] = []): string | undefined {
  const [first, ...others] = issues.map(({ remedy }) => remedy)
  return others.every((remedy) => remedy === first) ? first : undefined
}

function issueDocument(issue: Issue, status: number): Record<string, unknown> {
  return compact({
    type: 'about:blank',
    title: 'Invalid input',
    status,
    detail: issue.detail,
    remedy: issue.remedy,
    in: issue.in,
    name: issue.name,
    value: shown(issue.value),
    context: issue.context,
  })
}

/**
 * Returns an invalid value as a problem shows it, so that the sender recognizes it: at most 200 characters, no content
 * of arrays and objects, and no user and password of a URL.
 */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return shownText(value.replace(/(:\/\/)[^/?#\s]*@/, '$1…@'))
  if (Array.isArray(value)) return `[array of ${value.length}]`
  if (typeof value === 'object' && value !== null) return '[object]'
  return value
}

function shownText(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function compact(document: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined))
}
