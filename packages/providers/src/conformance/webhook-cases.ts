import type { ProviderEntry } from '../catalogue/entry.ts'
import type { Webhooks } from '../catalogue/format/webhooks.ts'
import { eventCases } from './event-cases.ts'
import { handshakeCases } from './handshake-cases.ts'
import { signatureCases } from './signature-cases.ts'
import type { Tried } from './tried.ts'

/** Webhooks that a file declares: for all modules (''), or for one. */
export interface DeclaredWebhooks {
  module: string
  webhooks: Webhooks
}

export function declaredWebhooks({ file }: ProviderEntry): DeclaredWebhooks[] {
  const ofModules = [...(file?.sets ?? [])].map(([module, { webhooks }]) => ({ module, webhooks }))
  return [{ module: '', webhooks: file?.webhooks }, ...ofModules].flatMap(({ module, webhooks }) =>
    webhooks === undefined ? [] : [{ module, webhooks }],
  )
}

/** Sends events as a file declares them, and everything that is none. */
export async function webhookCases({ webhooks }: DeclaredWebhooks): Promise<Tried[]> {
  return [...(await signatureCases(webhooks)), ...(await handshakeCases(webhooks)), ...(await eventCases(webhooks))]
}
