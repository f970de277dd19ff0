import type { ProviderEntry } from '../catalogue/entry.ts'
import type { Webhooks } from '../catalogue/format/webhooks.ts'

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
