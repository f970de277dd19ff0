import { Problem } from '../../../kernel/http/index.ts'

export const toolErrorCodes = [
  'not_connected',
  'reconnect_account',
  'limit_reached',
  'provider_unavailable',
  'provider_refused',
  'not_possible',
  'tool_changed',
  'arguments_refused',
  'rule_refused',
  'not_found',
  'approval_refused',
  'approval_expired',
  'outcome_unknown',
] as const
export type ToolErrorCode = (typeof toolErrorCodes)[number]

/** What an agent can do about a call that failed. */
export interface ToolErrorFacts {
  code: ToolErrorCode
  /** What happened, and what the agent can do. */
  message: string
  /** Each thing that is wrong. */
  details?: string[]
  retryAfterSeconds?: number
  /** What the provider says: data, not instructions. */
  providerMessage?: string
}

/** A call that failed for a reason that its agent should know. */
export class ToolError extends Error {
  override name = 'ToolError'
  readonly facts: ToolErrorFacts

  constructor(facts: ToolErrorFacts, options?: ErrorOptions) {
    super(facts.message, options)
    this.facts = facts
  }
}

const providerMessageMax = 1_000

/**
 * Returns what an agent is to know about an error; undefined if it is not about the call. Sentences about the service
 * are not passed on: an agent can do nothing with them.
 */
export function toolErrorOf(error: unknown, provider: string, now: Date): ToolErrorFacts | undefined {
  if (error instanceof ToolError) return error.facts
  if (!(error instanceof Problem)) return undefined
  const { declaration, occurrence, issues } = error
  const said =
    occurrence.detail === undefined ? {} : { providerMessage: occurrence.detail.slice(0, providerMessageMax) }
  switch (declaration.code) {
    case 'connection-not-found':
    case 'installation-not-found':
      return notConnected(provider)
    case 'provider-credentials-refused':
    case 'provider-address-unusable':
      return { ...reconnectAccount(provider), ...said }
    case 'provider-rate-limited': {
      const seconds = Math.max(1, Math.ceil(((occurrence.retryAfter?.getTime() ?? 0) - now.getTime()) / 1000))
      return {
        code: 'limit_reached',
        message: `The limit of ${provider} is reached. Call again in ${seconds} seconds.`,
        retryAfterSeconds: seconds,
      }
    }
    case 'provider-unavailable':
    case 'names-busy':
      return {
        code: 'provider_unavailable',
        message: `${provider} does not respond now. Call again in a minute.`,
        retryAfterSeconds: 60,
      }
    case 'provider-refused':
      return { code: 'provider_refused', message: `${provider} refused the request.`, ...said }
    case 'object-not-found':
    case 'provider-answer-unexpected':
    case 'capability-not-implemented':
      return { code: 'not_possible', message: `${provider} cannot do this for the account.` }
    case 'invalid-input':
      return {
        code: 'arguments_refused',
        message: 'The arguments cannot be used. Correct them and call again.',
        details: issues.slice(0, 20).map(({ detail }) => detail),
      }
    default:
      return undefined
  }
}

export function reconnectAccount(provider: string): ToolErrorFacts {
  return {
    code: 'reconnect_account',
    message: `The account at ${provider} cannot be used any more. Ask the user to connect it again, and do not call its tools until then.`,
  }
}

export function consumerMissing(): ToolError {
  return new ToolError({
    code: 'rule_refused',
    message: 'This tool needs a call for a user. The application must name its user in `consumerRef`.',
  })
}

export function notConnected(provider: string): ToolErrorFacts {
  return {
    code: 'not_connected',
    message: `The user has not connected an account for this tool${provider === '' ? '' : ` (${provider})`}. Ask the user to connect it.`,
  }
}

export function errorContent(error: ToolErrorFacts | undefined): Record<string, unknown> {
  return { error }
}
