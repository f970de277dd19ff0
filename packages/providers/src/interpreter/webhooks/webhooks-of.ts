import type { ProviderEntry } from '../../catalogue/entry.ts'
import type { Webhooks } from '../../catalogue/format/webhooks.ts'

type WithFile = Pick<ProviderEntry, 'file' | 'defaultModule'>

/** Returns the webhooks of a module, or of the default one. A module without its own has those of the provider. */
export function webhooksOf(entry: WithFile | undefined, module: string | undefined): Webhooks | undefined {
  return ofModule(entry, module)?.webhooks ?? entry?.file?.webhooks
}

/** Returns the template of the URL that paths of registrations are joined to. */
export function webhooksBase(entry: WithFile & Pick<ProviderEntry, 'baseUrl'>, module: string | undefined): string {
  const own = ofModule(entry, module)
  return (own?.webhooks && own.apiUrl) ?? entry.baseUrl
}

function ofModule(entry: WithFile | undefined, module: string | undefined) {
  return entry?.file?.sets.get(module === undefined || module === '' ? (entry.defaultModule ?? '') : module)
}

/** Returns the webhooks of the provider and of all its modules. */
export function allWebhooks({ file }: Pick<ProviderEntry, 'file'>): Webhooks[] {
  return [file?.webhooks, ...[...(file?.sets.values() ?? [])].map(({ webhooks }) => webhooks)].filter(
    (webhooks) => webhooks !== undefined,
  )
}
