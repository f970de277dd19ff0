import type { ProviderEntry } from '../../catalogue/entry.ts'
import type { EventStream } from '../../catalogue/format/stream.ts'
import type { EventSource, Webhooks } from '../../catalogue/format/webhooks.ts'
import { type EventSection, sourceIn } from './event-source.ts'

type WithFile = Pick<ProviderEntry, 'file' | 'defaultModule'>

/** Returns the webhooks of a module, or of the default one. A module without its own has those of the provider. */
export function webhooksOf(entry: WithFile | undefined, module: string | undefined): Webhooks | undefined {
  return sectionOf(entry, module)?.webhooks
}

/** Returns the stream of a module, or of the default one, by the same rule as its webhooks. */
export function streamOf(entry: WithFile | undefined, module: string | undefined): EventStream | undefined {
  return sectionOf(entry, module)?.stream
}

/** Returns what the events of a module say, whether they arrive by webhooks or by a stream. */
export function eventSourceOf(entry: WithFile | undefined, module: string | undefined): EventSource | undefined {
  return sourceIn(sectionOf(entry, module))
}

/** Returns the part of a file that declares events: the module, where it has its own, or the provider. */
function sectionOf(entry: WithFile | undefined, module: string | undefined): EventSection | undefined {
  const own = ofModule(entry, module)
  return (own?.webhooks ?? own?.stream) ? own : entry?.file
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

/** Returns what the events of the provider and of all its modules say. */
export function allEventSources({ file }: Pick<ProviderEntry, 'file'>): EventSource[] {
  return [file, ...(file?.sets.values() ?? [])].map(sourceIn).filter((source) => source !== undefined)
}
