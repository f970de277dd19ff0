import type { KeyObject } from 'node:crypto'
import type { Issue } from '../../../kernel/http/index.ts'
import type { AddressGuard, NameResolver, Outbound } from '../../../kernel/net/index.ts'

/**
 * A kind of destination: webhook, Redis stream, and so on. It knows its settings and how to send. Everything else about
 * delivery (claims, leases, the retry schedule, health, attempts, encryption) knows no kind. `conformance.testkit.ts`
 * tests these promises for every kind.
 *
 * @typeParam S its settings, as they are stored: one JSON object, encrypted as a whole
 */
export interface DestinationKind<S extends object = object> {
  /** `type` of a destination in the API. */
  readonly name: string
  /** One sentence for the API docs: where messages go. */
  readonly summary: string
  /** JSON schemas of the settings by name, all optional: for the API docs, and for responses. */
  readonly properties: Readonly<Record<string, object>>
  /**
   * JSON schemas of the settings that requests give in `secrets`: stored with the others, and shown nowhere. None by
   * default.
   */
  readonly secretProperties?: Readonly<Record<string, object>>
  /** Settings that say where messages go. To set one, even to the same value, enables a disabled destination. */
  readonly addressKeys: readonly string[]
  readonly limits: KindLimits
  /**
   * Reads settings that a user wrote and lists everything that is wrong with them, without I/O. Unknown settings are
   * left out.
   *
   * @param at path of the settings in the request, for the issues
   */
  readSettings(input: Record<string, unknown>, at: string, services: Pick<KindServices, 'guard'>): Read<S>
  /** Lists issues of valid settings that a DNS lookup reveals, such as a host at a private address. */
  checkSettings(settings: S, at: string, services: Pick<KindServices, 'guard' | 'names' | 'project'>): Promise<Issue[]>
  /**
   * Shows settings to people: each secret value, or secret part of a value, is `***`. Those of `secretProperties` are
   * left out by the caller.
   */
  maskSettings(settings: S): S
  /** Returns the values that must not appear in an attempt or a log, although a destination may echo them. */
  secretsOf(settings: S): string[]
  /** Names the target for people, without secrets. */
  endpoint(settings: S): string
  /** Returns the host that messages are sent to, so that a slow look-up of its name does not hold up others. */
  host(settings: S): string | undefined
  /** Returns the headers of a message sent at this time, or what this kind has in their place. */
  headers(settings: S, keys: readonly KeyObject[], message: Pick<OutgoingMessage, 'id' | 'body'>, time: Date): Headers
  /** Prepares to send to a destination. Does no I/O, and does not throw: a sender connects when it first sends. */
  open(settings: S, services: SenderServices): Sender
}

type Headers = Record<string, string>

export interface KindLimits {
  /** Maximum number of messages in one `send`. */
  maxBatch: number
  /** Calls of `send` to one destination at the same time. With 1, messages arrive in the order of their claim. */
  concurrency: number
  /** The one deadline of a `send`: name, connection, handshakes and answer. */
  timeoutMs: number
}

/** The services that kinds may use. */
export interface KindServices {
  guard: AddressGuard
  names: NameResolver
  outbound: Outbound
  /** Id of the project that the destination belongs to. */
  project: string
}

export interface SenderServices extends KindServices {
  /** Id of the destination. */
  destination: string
  /**
   * Loads the result of a message that is too large to contain it, a JSON array in UTF-8. Undefined if it is not kept
   * any more.
   */
  loadResult(messageId: string): Promise<Buffer | undefined>
  /** The keys that sign now, newest first. */
  keys: readonly KeyObject[]
}

export interface Read<S> {
  /** Meaningless unless `issues` is empty. */
  settings: S
  issues: Issue[]
}

/** A message that is sent now. */
export interface OutgoingMessage {
  id: string
  /** Its content: `read`, `subscribe`, `schema.watch` or `notification`. */
  kind: string
  /** The event of a notification. */
  eventType: string | undefined
  /** The exact bytes: JSON in UTF-8. */
  body: Buffer
}

export interface SendOptions {
  /** The timestamp of signatures. */
  time: Date
  timeoutMs: number
  /** Cancels the call: each message without an answer is `cancelled`. */
  signal: AbortSignal
}

/** Sends to an open destination. */
export interface Sender {
  /**
   * Sends messages once, and returns what happened to each, in their order.
   *
   * @throws OutboundError when the same happened to all of them: `aborted` is `cancelled`, `busy` is `unsent`, and any
   *   other is `retry`
   */
  send(batch: readonly OutgoingMessage[], options: SendOptions): Promise<readonly SendResult[]>
  /** Ends its connections. Called once, when no `send` is under way. */
  close(): Promise<void>
}

/**
 * What happened to a message.
 *
 * - `delivered`: the destination confirmed it.
 * - `retry`: this attempt failed, and another may succeed, perhaps after somebody corrected something.
 * - `gone`: the destination says that it no longer exists. It is disabled.
 * - `refused`: the destination will never accept this message, whatever changes. The message fails without a retry.
 * - `cancelled`: the signal ended the attempt.
 * - `unsent`: this node had no capacity to send it. Like `cancelled`, this does not count as an attempt, and says
 *   nothing about the destination.
 */
export interface SendResult {
  outcome: 'delivered' | 'retry' | 'gone' | 'refused' | 'cancelled' | 'unsent'
  /** HTTP status of the response, for kinds that have one. */
  status?: number
  /** Why it was not delivered: one sentence for people, without secrets. */
  error?: string
  /** The response as far as it was read. Delivery removes secrets and keeps the beginning. */
  response?: Buffer
  /** How long the destination asks to wait. */
  retryAfterMs?: number
}
