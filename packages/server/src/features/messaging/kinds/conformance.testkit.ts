import {
  createAddressGuard,
  createNameResolver,
  createOutbound,
  OutboundError,
  parseAllowedNetworks,
} from '../../../kernel/net/index.ts'
import type { DestinationKind, KindServices, OutgoingMessage, SenderServices, SendResult } from './kind.ts'
import { newSigningSecret, signingKey } from './signing.ts'

/** What the conformance suite needs of a kind: `conformance.testkit.ts` in its folder exports one as `harness`. */
export interface KindHarness {
  /** Whether this machine has the software that `start` needs, if it is not among the dependencies. */
  hasServer?(): Promise<boolean>
  /**
   * Starts a server on a loopback address that destinations of this kind can send to. A server that says where it is
   * names the port that is advertised, by default its own.
   */
  start(options?: { advertisedPort?: number }): Promise<TestTarget>
  /** Settings with a secret, encrypted on the way, for a host. */
  settingsFor(host: string, port: number): object
  /** Input that is wrong in several ways, and the names of all settings that are. */
  wrong: { input: Record<string, unknown>; names: string[] }
  /** Whether it stores in the database of this service: it has no address, no secret and no connection. */
  isInternal?: boolean
  /** Messages with such texts, where those of `testMessages` are not what the kind takes. */
  messages?(...texts: string[]): OutgoingMessage[]
  /** The body of a message with a text, where only some bodies show what the kind does. By default, the text alone. */
  bodyOf?(text: string): object
  /** Whether messages arrive without a signature: where only rows or a text arrive. */
  isUnsigned?: boolean
  /** Whether messages arrive without their id. */
  hasNoIds?: boolean
  /** Whether a server may need no credentials, so that settings without secrets are valid. */
  hasOptionalSecrets?: boolean
  /** Whether a message that is sent again has no effect, even after a process has died. */
  storesOnce?: boolean
  /** Whether a message whose text is `bad` is refused for good, while others of its batch are accepted. */
  refusesBad?: boolean
  /** Settings that exclude one of those that are set. */
  excluded?: string[]
  /** How a server may answer a message badly, and what that means for the message. */
  failures: Record<string, SendResult['outcome']>
}

export interface ReceivedMessage {
  id: string
  body: string
  /** With the signature of Standard Webhooks, unless the kind has none. */
  headers: Record<string, string>
}

export interface TestTarget {
  port: number
  /** Settings of this server, as `readSettings` returns them: each optional one is set. */
  settings: object
  /** What is secret in them. */
  secret: string
  /** Services that store there, of an internal kind. */
  services?: Pick<SenderServices, 'storeRecords'>
  /** Returns what was confirmed, in its order. */
  received(): ReceivedMessage[] | Promise<ReceivedMessage[]>
  /**
   * What the server does from now on: `accept`, `hang`, `echo` (it answers
   * with an error that contains the secret), or one of `failures`. A message whose text is `bad` always fails.
   */
  behave(behavior: string): void
  /** Behaviors besides `hang` that never end an answer. */
  slow?: string[]
  /** Counts the requests at the address that answers redirect to. */
  redirected?(): number
  /** Connections that are open, and connections there ever were. */
  connections(): { open: number; total: number }
  stop(): Promise<void>
}

/** A kind with one of its harnesses: some kinds have settings that change all that they do. */
export interface TestedKind {
  /** The kind, and the harness if it is not the usual one. */
  label: string
  kind: DestinationKind
  harness: KindHarness
}

/** The kinds that send, without those whose software is missing on this machine. Each brings its harnesses. */
export async function kindsToTest(kinds: readonly DestinationKind[]): Promise<TestedKind[]> {
  const found: TestedKind[] = []
  for (const kind of kinds.filter(({ members }) => members === undefined)) {
    const module: Record<'harness', KindHarness> & Partial<Record<'tablesHarness' | 'recordsHarness', KindHarness>> =
      await import(`./${kind.name}/conformance.testkit.ts`)
    const { harness, tablesHarness, recordsHarness } = module
    const all = [
      { label: kind.name, harness },
      ...(tablesHarness ? [{ label: `${kind.name}-tables`, harness: tablesHarness }] : []),
      ...(recordsHarness ? [{ label: `${kind.name}-records`, harness: recordsHarness }] : []),
    ]
    for (const one of all)
      if (one.harness.hasServer === undefined || (await one.harness.hasServer())) found.push({ ...one, kind })
  }
  return found
}

/** A sender on its own, behind a real guard: no service and no database. */
export function openForTest(
  kind: DestinationKind,
  settings: object,
  options: {
    allow?: string
    names?: KindServices['names']
    loadResult?: SenderServices['loadResult']
    openResult?: SenderServices['openResult']
    originsOf?: SenderServices['originsOf']
    fieldTypes?: SenderServices['fieldTypes']
    messagesKeptFrom?: SenderServices['messagesKeptFrom']
    storeRecords?: SenderServices['storeRecords'] | undefined
  } = {},
) {
  const guard = createAddressGuard({ allow: parseAllowedNetworks(options.allow ?? 'loopback') })
  const names = options.names ?? createNameResolver()
  const outbound = createOutbound({ guard, names, userAgent: 'test' })
  const secret = newSigningSecret()
  const services = {
    guard,
    names,
    outbound,
    project: 'project-1',
    destination: 'destination-1',
    loadResult: options.loadResult ?? (async () => undefined),
    openResult: options.openResult ?? (async () => undefined),
    originsOf: options.originsOf ?? (async () => []),
    fieldTypes: options.fieldTypes ?? (async () => []),
    messagesKeptFrom: options.messagesKeptFrom ?? (async () => new Date(0)),
    storeRecords: options.storeRecords ?? (async () => false),
    keys: [signingKey(secret)],
  }
  const sender = kind.open(settings, services)
  return {
    secret,
    services,
    sender,
    /** By default, with the deadline of the kind: a shorter one leaves messages unsent on a slow machine. */
    send: (
      batch: readonly OutgoingMessage[],
      { timeoutMs = kind.limits.timeoutMs, signal = new AbortController().signal } = {},
    ) => sender.send(batch, { time: new Date(), timeoutMs, signal }),
    async close() {
      await sender.close()
      await outbound.close()
    },
  }
}

/** Messages with bodies of their own. */
export function testMessages(...bodies: string[]): OutgoingMessage[] {
  return bodies.map((text, index) => ({
    id: `0197b1c0-0000-7000-8000-${String(index).padStart(12, '0')}`,
    kind: 'notification',
    eventType: 'destination.test',
    body: Buffer.from(JSON.stringify({ text })),
  }))
}

/** A resolver that has one answer for every name. */
export function namesAt(address: string): KindServices['names'] {
  const found = [{ address, family: address.includes(':') ? (6 as const) : (4 as const) }]
  return {
    known: () => undefined,
    resolve: async () => found,
    isBusy: () => false,
    lookup: (_hostname, _options, callback) => callback(null, found),
  }
}

/** What happened to the first message, as delivery sees it: an error concerns every message of a batch. */
export async function outcomeOf(sending: Promise<readonly SendResult[]>): Promise<SendResult['outcome'] | undefined> {
  try {
    return (await sending)[0]?.outcome
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return error.kind === 'aborted' ? 'cancelled' : error.kind === 'busy' ? 'unsent' : 'retry'
  }
}
