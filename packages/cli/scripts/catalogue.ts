import { loadCatalogue, type ProviderEntry } from '../../providers/src/index.ts'
import type { PackedCatalogue, PackedProvider } from '../src/manifest/catalogue.ts'

/** What the command line knows of providers when it is offline, as JSON with one provider a line. */
export async function packedCatalogue(options: { cacheDir?: string } = {}): Promise<string> {
  const catalogue = await loadCatalogue(options)
  const packed: PackedCatalogue = Object.fromEntries(catalogue.list().map((entry) => [entry.name, pack(entry)]))
  const lines = Object.entries(packed).map(
    ([name, provider]) => `  ${JSON.stringify(name)}: ${JSON.stringify(provider)}`,
  )
  return `{\n${lines.join(',\n')}\n}\n`
}

function pack(entry: ProviderEntry): PackedProvider {
  const modules = Object.entries(entry.modules).map(([id, module]) => [id, packSupport(module)])
  const sets = [...(entry.file?.sets ?? [])]
  const readable = sets.map(([id, { objects }]) => [
    id,
    [...objects].filter(([, object]) => object.read !== undefined).map(([name]) => name),
  ])
  const fields = sets.flatMap(([id, { objects }]) => {
    const known = [...objects].flatMap(([name, object]) => {
      const names = (object.fields ?? []).flatMap((source) =>
        source.source === 'static' ? Object.keys(source.fields) : [],
      )
      return names.length > 0 ? [[name, names]] : []
    })
    return known.length > 0 ? [[id, Object.fromEntries(known)]] : []
  })
  return {
    displayName: entry.displayName,
    authType: entry.authType,
    ...packSupport(entry),
    ...(modules.length > 0 && { modules: Object.fromEntries(modules) }),
    ...(entry.defaultModule !== undefined && { defaultModule: entry.defaultModule }),
    ...(entry.objects && { objects: [...entry.objects] }),
    ...(entry.onlyWritten && { onlyWritten: [...entry.onlyWritten] }),
    ...(entry.reportsDeletions && { reportsDeletions: [...entry.reportsDeletions] }),
    ...(entry.signalsChanges && { signalsChanges: [...entry.signalsChanges] }),
    ...(entry.mcp && { mcp: {} }),
    ...(readable.length > 0 && { readable: Object.fromEntries(readable) }),
    ...(fields.length > 0 && { fields: Object.fromEntries(fields) }),
  }
}

function packSupport({ implemented, undescribed }: Pick<ProviderEntry, 'implemented' | 'undescribed'>) {
  const usable = (['read', 'write', 'subscribe', 'proxy'] as const).filter((action) => implemented[action])
  return { implemented: letters(usable), ...(undescribed && { undescribed: letters(undescribed) }) }
}

function letters(actions: readonly string[]): string {
  return actions.map(([letter]) => letter).join('')
}
