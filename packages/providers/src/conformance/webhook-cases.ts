import type { ProviderEntry } from '../catalogue/entry.ts'
import type { DeclaredWebhooks } from './declared-webhooks.ts'
import { eventCases } from './event-cases.ts'
import { handshakeCases } from './handshake-cases.ts'
import { signatureCases } from './signature-cases.ts'
import type { StandInServer } from './stand-in/server.ts'
import { subscriptionCases } from './subscription-cases.ts'
import type { Tried } from './tried.ts'

/** Sends events as a file declares them, and everything that is none. Registers at the stand-in of the file. */
export async function webhookCases(
  entry: ProviderEntry,
  declared: DeclaredWebhooks,
  server: StandInServer,
): Promise<Tried[]> {
  const { webhooks } = declared
  return [
    ...(await signatureCases(webhooks)),
    ...(await handshakeCases(webhooks)),
    ...(await eventCases(webhooks)),
    ...(await subscriptionCases(entry, declared, server)),
  ]
}
