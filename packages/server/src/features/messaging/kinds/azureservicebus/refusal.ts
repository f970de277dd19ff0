import type { Together } from '../in-parts.ts'
import type { SendResult } from '../kind.ts'

/** The service refused a message, a link or the connection. */
export class ServiceBusRefusal extends Error {
  override name = 'ServiceBusRefusal'
  /** The name of the reason in the client of Service Bus, or the condition of AMQP. */
  readonly code: string
  constructor(code: string, description: string) {
    super(description)
    this.code = code
  }
}

/** Something else than a WebSocket answered. */
export class NoWebSocket extends Error {
  override name = 'NoWebSocket'
  readonly status: number
  /** As far as it was read. */
  body: Buffer = Buffer.alloc(0)
  constructor(status: number) {
    super(`The server answered ${status}.`)
    this.status = status
  }
}

/** Names of the client for the conditions that a link or a connection is closed with. */
const codes: Record<string, string> = {
  'amqp:unauthorized-access': 'UnauthorizedAccess',
  'amqp:not-found': 'MessagingEntityNotFound',
  'amqp:resource-limit-exceeded': 'QuotaExceeded',
  'amqp:link:message-size-exceeded': 'MessageSizeExceeded',
  'amqp:not-allowed': 'InvalidOperationError',
  'com.microsoft:entity-disabled': 'MessagingEntityDisabled',
  'com.microsoft:server-busy': 'ServiceBusy',
  'com.microsoft:timeout': 'ServiceTimeout',
  'com.microsoft:argument-error': 'ArgumentError',
}

const reasons: Record<string, string> = {
  UnauthorizedAccess: 'refused the key of the connection string, or its policy lacks the claim Send',
  MessagingEntityNotFound: 'has no such queue or topic',
  ServiceCommunicationProblem: 'has no such queue or topic',
  MessagingEntityDisabled: 'does not accept messages, because the queue or topic is disabled',
  QuotaExceeded: 'has reached a quota, such as the size of the queue or topic',
  ServiceBusy: 'is busy',
  ServiceTimeout: 'did not store the message in time',
  MessageSizeExceeded: 'does not accept messages of this size',
  'amqp:link:stolen': 'gave the link to another client',
}

/** Reasons that may be of one message: the others would be accepted without it. */
const ofData = new Set([
  ...['MessageSizeExceeded', 'ArgumentError', 'ArgumentOutOfRangeError', 'InvalidOperationError', 'InvalidFieldError'],
  ...['DecodeError', 'NotImplementedError', 'PreconditionFailedError', 'rejected'],
])

/** What a peer said when it closed a link, a session or the connection. */
export function refusalOfCondition({ condition, description }: { condition?: unknown; description?: unknown }) {
  const known = /^[\w:.-]{1,80}$/.exec(String(condition ?? ''))?.[0] ?? 'unknown'
  return new ServiceBusRefusal(codes[known] ?? known, String(description ?? ''))
}

/** What the client says about an answer of the service. Undefined for anything else. */
export function refusalOfClient(error: unknown): ServiceBusRefusal | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const { code, message } = error
  // Only the text says more about what the client has no name for.
  const [, outcome] = / received a '(rejected|released|modified)' disposition/.exec(message) ?? []
  if (outcome !== undefined) return new ServiceBusRefusal(outcome, '')
  const [prefix = '', name = code] = (code === 'GeneralError' && /^([A-Za-z]{3,60}Error): /.exec(message)) || []
  return new ServiceBusRefusal(name, message.slice(prefix.length))
}

/** What a refusal means for messages that were sent together. */
export function meaningOf(error: ServiceBusRefusal | NoWebSocket, shown: string, count: number): Together {
  if (error instanceof NoWebSocket) {
    const { status, body } = error
    const result: SendResult = { outcome: 'retry', status, error: `${shown} answered ${status}.`, response: body }
    return { result, isOfData: false }
  }
  const { code, message } = error
  const [, waitSecs] = /\bwait (\d{1,3}) seconds\b/.exec(message) ?? []
  const isTooLarge = code === 'MessageSizeExceeded' && count === 1
  const result: SendResult = {
    outcome: isTooLarge ? 'refused' : 'retry',
    error: `${shown} ${reasons[code] ?? 'did not accept the message'} (${code}).`,
    response: Buffer.from(message),
    ...(waitSecs !== undefined && { retryAfterMs: Number(waitSecs) * 1_000 }),
  }
  return { result, isOfData: ofData.has(code) }
}
