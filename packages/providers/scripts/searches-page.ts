import type { ProviderEntry } from '../src/catalogue/entry.ts'
import type { ProviderObject } from '../src/catalogue/format/provider-file.ts'

/** More objects than these are counted, not listed. */
const listedObjects = 8

/** What can be searched at which provider: the table of docs/searching.md. */
export function searchesPage(entries: readonly ProviderEntry[]): string {
  const rows = entries
    .filter(({ implemented }) => implemented.search)
    .map((entry) => `| \`${entry.name}\` | ${searchesOf(entry)} |`)
  return ['| Provider | Objects and their fields |', '| --- | --- |', ...rows, ''].join('\n')
}

function searchesOf({ file }: ProviderEntry): string {
  const sets = [...(file?.sets.values() ?? [])]
  const searched = sets.flatMap(({ objects }) => [...objects]).filter(([, { search }]) => search !== undefined)
  const open = searched.filter(([, object]) => isOpen(object)).map(([name]) => `\`${name}\``)
  const others = sets.some((set) => set.others.some(({ object }) => object.search !== undefined))
  const limited = searched.filter(([, object]) => !isOpen(object))
  const named = limited.map(([name, object]) => {
    const fields = fieldsOf(object).map((field) => `\`${field}\``)
    return `\`${name}\`: ${fields.join(', ') || 'custom fields'}`
  })
  const anyField = open.length > listedObjects ? `${open.length} objects` : open.join(', ')
  return [
    ...(open.length > 0 ? [`any field of ${anyField}`] : []),
    ...(others && open.length === 0 ? ['any field of custom objects'] : []),
    ...named,
  ].join('<br>')
}

function isOpen({ searchBy, searchByType, read }: ProviderObject): boolean {
  return searchBy === undefined && searchByType === undefined && read?.filterable === undefined
}

function fieldsOf({ searchBy, read }: ProviderObject): readonly string[] {
  return searchBy === undefined ? (read?.filterable ?? []) : Object.keys(searchBy)
}
