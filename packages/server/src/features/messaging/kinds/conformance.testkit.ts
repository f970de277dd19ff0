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
  /** Starts a server on a loopback address that destinations of this kind can send to. */
  start(): Promise<TestTarget>
  /** Settings with a secret, encrypted on the way, for a host. */
  settingsFor(host: string, port: number): object
  /** Input that is wrong in several ways, and the names of all settings that are. */
  wrong: { input: Record<string, unknown>; names: string[] }
  /** Whether messages arrive without a signature: where only rows or a text arrive. */
  isUnsigned?: boolean
  /** Whether messages arrive without their id. */
  hasNoIds?: boolean
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
  /** Returns what was confirmed, in its order. */
  received(): ReceivedMessage[] | Promise<ReceivedMessage[]>
  /**
   * What the server does from now on: `accept`, `hang`, `echo` (it answers with an error that contains the secret), or
   * one of `failures`. A message whose text is `bad` always fails.
   */
  behave(behavior: string): void
  /** Connections that are open, and connections there ever were. */
  connections(): { open: number; total: number }
  stop(): Promise<void>
}

/** Imports what a kind brings for its tests; its folder has its name. */
export async function harnessOf({ name }: DestinationKind): Promise<KindHarness> {
  const module: { harness: KindHarness } = await import(`./${name}/conformance.testkit.ts`)
  return module.harness
}

/** A sender on its own, behind a real guard: no service and no database. */
export function openForTest(
  kind: DestinationKind,
  settings: object,
  options: { allow?: string; names?: KindServices['names']; loadResult?: SenderServices['loadResult'] } = {},
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
    keys: [signingKey(secret)],
  }
  const sender = kind.open(settings, services)
  return {
    secret,
    services,
    send: (batch: readonly OutgoingMessage[], { timeoutMs = 5_000, signal = new AbortController().signal } = {}) =>
      sender.send(batch, { time: new Date(), timeoutMs, signal }),
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
