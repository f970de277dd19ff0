/** What follows from an answer of a provider, in a read. */
export type ReadConsequence =
  /** Sent again after `Retry-After`, or after a growing time; from the last committed page. */
  | 'retry'
  /** As `retry`, and every other read of the connection waits too. */
  | 'wait'
  /** The window begins again. */
  | 'restart'
  /** The operation fails, and the connection becomes `bad_credentials`. */
  | 'credentials'
  /** The operation fails. */
  | 'fail'

interface AnswerRow {
  /** What the provider answers, for people. */
  answer: string
  read: ReadConsequence
  /** Whether an asynchronous write sends it again automatically: only if the provider has done nothing. */
  writesAgain: boolean
  /** Whether a subscription is set up again automatically: not if the provider may have registered it already. */
  setsUpAgain: boolean
  /** Whether it says nothing about the request: a health check is repeated, an event waits for its record. */
  passes: boolean
}

/**
 * What each answer of a provider leads to: the one table for reads, writes, subscriptions, events and health checks. A
 * test compares docs/reading.md with it. Contract 6.10 names the classes; what a provider calls them, `errors` of its
 * file says.
 */
export const answerTable = {
  rate_limited: {
    answer: '429, or another answer that its file calls a rate limit',
    read: 'wait',
    writesAgain: true,
    setsUpAgain: true,
    passes: true,
  },
  provider_5xx: { answer: '5xx', read: 'retry', writesAgain: true, setsUpAgain: true, passes: true },
  unexpected_response: {
    answer: 'not what its file declares: HTML, an empty or cut body, another JSON, a redirect, the page before again',
    read: 'retry',
    writesAgain: false,
    setsUpAgain: false,
    passes: true,
  },
  not_found: { answer: '404, 410', read: 'retry', writesAgain: false, setsUpAgain: false, passes: false },
  cursor_gone: {
    answer: 'the page token is no longer known',
    read: 'restart',
    writesAgain: false,
    setsUpAgain: false,
    passes: false,
  },
  auth_invalidated: {
    answer: '401, or its own way to refuse the credential',
    read: 'credentials',
    writesAgain: false,
    setsUpAgain: false,
    passes: false,
  },
  forbidden: { answer: '403', read: 'fail', writesAgain: false, setsUpAgain: false, passes: false },
  bad_request: { answer: 'another 4xx', read: 'fail', writesAgain: false, setsUpAgain: false, passes: false },
  endless_pages: {
    answer: 'the same pages again and again',
    read: 'fail',
    writesAgain: false,
    setsUpAgain: false,
    passes: false,
  },
  unsupported_object: {
    answer: 'nothing: its file does not declare the object',
    read: 'fail',
    writesAgain: false,
    setsUpAgain: false,
    passes: false,
  },
} as const satisfies Record<string, AnswerRow>

export type ProviderErrorClass = keyof typeof answerTable

export const providerErrorClasses = Object.keys(answerTable) as ProviderErrorClass[]
