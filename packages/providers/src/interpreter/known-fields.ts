import type { ProviderObject } from '../catalogue/format/provider-file.ts'
import { pathNames } from './path.ts'
import { idPaths } from './record-id.ts'

/**
 * Returns the names of all fields that a record of the object can have, or undefined where nobody knows them all: where
 * the provider describes them, a sample does, or records have custom fields.
 */
export function knownFields({ fields = [], read, incremental }: ProviderObject): string[] | undefined {
  const names = fields.flatMap((source) => (source.source === 'static' ? Object.keys(source.fields) : []))
  const isOpen = fields.some(({ source }) => source === 'live' || source === 'sample')
  // Keys of an object that is flattened are the customer's as often as the provider's.
  if (names.length === 0 || isOpen || read === undefined || read.customFields !== undefined) return undefined
  if ((read.flatten ?? []).length > 0) return undefined
  const paths = [...idPaths(read.id), incremental?.filter?.timestamp ?? '', ...(read.links ?? [])]
  return [
    ...names,
    ...Object.keys(read.children ?? {}),
    ...Object.keys(read.associations ?? {}),
    ...Object.keys(read.lift ?? {}),
    ...Object.keys(read.each?.keep ?? {}),
    ...paths.flatMap((path) => pathNames(path)?.[0] ?? []),
  ]
}
