import type { KeyObject } from 'node:crypto'
import type { ValueType } from '@mortise/providers'
import type { Issue } from '../../../kernel/http/index.ts'
import type { AddressGuard, NameResolver, Outbound } from '../../../kernel/net/index.ts'
import type { SecretReceivers } from './receivers.ts'

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
  /**
   * Says who gets each secret, by its name: of each setting of `secretProperties`, and of each that `maskSettings`
   * changes.
   */
  readonly receivers: Readonly<Record<string, SecretReceivers<S>>>
  /**
   * npm packages of its client that an installation may lack: those of `optionalDependencies`. Without them, no
   * destination can be created, and messages are retried. None by default.
   */
  readonly clientPackages?: readonly string[]
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
  /**
   * Names the destinations that get each message in place of this one. By default, it sends them. A kind that has this
   * method sends nothing.
   */
  members?(settings: S): readonly string[]
  /**
   * Names the destination of messages whose group has none; null without one. A kind that has this method gives each
   * message to the destination of its group, and has no `members` in its settings.
   */
  groupDefault?(settings: S): string | null
  /** Returns the host that messages are sent to, so that a slow look-up of its name does not hold up others. */
  host(settings: S): string | undefined
  /** Returns the body that arrives, where the settings change it. By default, the message. */
  bodyOf?(settings: S, body: Buffer): Buffer
  /**
   * Whether only the `data` of a notification arrives, and its type in a header or in metadata. By default, all of it
   * arrives.
   */
  sendsDataOnly?(settings: S): boolean
  /** Returns the headers of a message sent at this time, or what this kind has in their place. */
  headers(settings: S, keys: readonly KeyObject[], sent: Pick<OutgoingMessage, 'id' | 'body'>, time: Date): Headers
  /**
   * Says how many messages are collected before they are sent together. Undefined, as by default, where what is due is
   * sent without waiting.
   */
  collecting?(settings: S): Collecting | undefined
  /** Whether messages of one object of an installation are sent one after the other. By default, they are not. */
  isOrdered?(settings: S): boolean
  /** Prepares to send to a destination. Does no I/O, and does not throw: a sender connects when it first sends. */
  open(settings: S, services: SenderServices): Sender
}

type Headers = Record<string, string>

export interface KindLimits {
  /** Maximum number of messages in one `send`. */
  maxBatch: number
  /** Calls of `send` to one destination at the same time. With 1, messages arrive in the order of their claim. */
  concurrency: number
  /** The one deadline of a `send`: name, connection, handshakes and answer. Large objects in stores have longer. */
  timeoutMs: number
}

/** When collected messages are sent: whichever of these comes first. Each is sent in one batch as far as it can be. */
export interface Collecting {
  /** Number of messages that are enough, and the maximum of one batch. */
  count: number
  /** Size of messages that is enough, and about the maximum of one batch, in bytes. */
  bytes: number
  /** How long the oldest message waits. */
  waitMs: number
  /** Batches that are sent at the same time, in place of `limits.concurrency`: memory holds each several times. */
  concurrency: number
}

/** The services that kinds may use. */
export interface KindServices {
  guard: AddressGuard
  names: NameResolver
  outbound: Outbound
  /** Id of the project that the destination belongs to. */
  project: string
}

export interface StoreOptions {
  isEncrypted: boolean
  /** What the transaction waits for, also if it fails. Contents are encrypted before. */
  after?: Promise<unknown>
}

export interface SenderServices extends KindServices {
  /** Id of the destination. */
  destination: string
  /**
   * Loads the result of a message that is too large to contain it, a JSON array in UTF-8. Undefined if it is not kept
   * any more.
   */
  loadResult(messageId: string): Promise<Buffer | undefined>
  /** Opens the same result to read it in parts. Undefined if it is not kept any more. */
  openResult(messageId: string): Promise<StoredResult | undefined>
  /**
   * Returns where messages come from, in their order: what stores of objects keep with them. One query, whatever their
   * number.
   */
  originsOf(sources: readonly MessageSource[]): Promise<readonly MessageOrigin[]>
  /**
   * Returns what is known of the types of fields in messages of some objects, without a request to a provider. Often
   * nothing is known.
   */
  fieldTypes(objects: readonly MessageObject[]): Promise<readonly FieldType[]>
  /** Returns a time before which no message is kept: one that was created earlier is never sent again. */
  messagesKeptFrom(): Promise<Date>
  /**
   * Stores what messages say of records in the database of this service. Returns whether the destination still is of
   * this kind: otherwise nothing was stored.
   */
  storeRecords(changes: readonly RecordChange[], options: StoreOptions): Promise<boolean>
  /** The keys that sign now, newest first. */
  keys: readonly KeyObject[]
}

/** The result of a message in the database: JSON in UTF-8. */
export interface StoredResult {
  bytes: number
  /** Reads a part. Undefined if the result is not kept any more. */
  read(from: number, bytes: number): Promise<Buffer | undefined>
}

/** What messages say of one record of one installation. */
export interface RecordChange {
  installation: string
  /** The name of the object in messages. */
  object: string
  group: string
  provider: string
  workspace: string
  id: string
  /** Id of the newest message that names it: a higher one is newer. */
  message: string
  /** Whether that message says that it is deleted. */
  isDeleted: boolean
  /** The newest content, of this message or an older one. Undefined content: it was deleted. */
  content?: { message: string; value: RecordContent | undefined }
}

/** The parts of an entry that are the record itself. */
export interface RecordContent {
  fields?: unknown
  mappedFields?: unknown
  raw?: unknown
  associations?: unknown
}

/** What a message says of where it comes from. */
export interface MessageSource {
  installationId: string | undefined
  /** The event of a notification. */
  eventType: string | undefined
}

/** Where a message comes from, as far as it is known. */
export interface MessageOrigin {
  /** Id of the connection of the installation. */
  connectionId?: string
  /** Name of the topic that routes the event to the destination. Of several, the first by name. */
  topic?: string
}

/** An object whose records are in messages. */
export interface MessageObject {
  /** Id of the installation. */
  installation: string
  /** The provider's name of the object. */
  object: string
}

export interface FieldType {
  /** Its name in messages. */
  field: string
  valueType: ValueType
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
  /** Whether its result is too large for it: the body contains URLs, which expire. */
  hasResult?: boolean
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
  /**
   * Says what would keep messages from being stored, and stores nothing. By default, a test of the destination sends a
   * message.
   */
  check?(options: SendOptions): Promise<SendResult>
  /** Ends its connections. Called once, when no `send` is under way. */
  close(): Promise<void>
}

/**
 * What happened to a message.
 *
 * - `delivered`: the destination confirmed it.
 * - `retry`: this attempt failed, and another may succeed, perhaps after somebody corrected something.
 * - `gone`: the destination says that it no longer exists. It is disabled.
 * - `refused`: the destination will not accept this message as it is: a bad value, or too large. The message fails
 *   without a retry, and becomes a dead letter. This says nothing against the destination, which answered.
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
  /**
   * Only with `delivered`, of kinds that store records one by one: records that the destination did not accept,
   * although it accepted the others of the message. Delivery makes separate messages of them.
   */
  rejected?: readonly RejectedRecords[]
}

/** Records of a message that the destination did not accept: one, or several that were not tried one by one. */
export interface RejectedRecords {
  /** Their positions in `result`, in order. */
  entries: readonly number[]
  outcome: 'refused' | 'retry'
  /** Why, as in `SendResult`. */
  error?: string
  response?: Buffer
}
