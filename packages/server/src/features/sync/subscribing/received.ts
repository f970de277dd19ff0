import { Problem } from '../../../kernel/http/index.ts'
import type { ProviderEventOutcome, ReceivedEvents } from '../provider-events/index.ts'
import {
  CertificateUnavailable,
  EventMalformed,
  EventUnverified,
  InboundBusy,
  SubscriptionNotFound,
  SubscriptionUnconfirmed,
} from './problems.ts'

/** What is noted of a request while it is received. */
export type Received = ReceivedEvents

/** Returns the note of a request that is about to be received. */
export function receivedOf(projectId: string, body: Buffer): Received {
  return {
    projectId: projectId.toLowerCase(),
    outcome: 'accepted',
    requests: 1,
    events: 0,
    newEvents: 0,
    bytes: body.length,
    integrationId: undefined,
    installationId: undefined,
    provider: undefined,
  }
}

const outcomes: [{ readonly declaration: object }, ProviderEventOutcome][] = [
  [SubscriptionNotFound, 'unknown'],
  [EventUnverified, 'unverified'],
  [EventMalformed, 'malformed'],
  [InboundBusy, 'busy'],
  [CertificateUnavailable, 'busy'],
  [SubscriptionUnconfirmed, 'busy'],
]

/** Notes why a request was refused. The details of these problems have no content of the request. */
export function refusedAs(received: Received, error: unknown): void {
  const known = error instanceof Problem && outcomes.find(([{ declaration }]) => declaration === error.declaration)
  received.outcome = known ? known[1] : 'failed'
  if (known) received.reason = error.message
}
