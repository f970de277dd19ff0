import type { Output } from '@mortise/client'
import { resource } from './resource.ts'

type Provider = Output<'getProvider'>

export const providers = resource<Provider>({
  name: 'providers',
  one: 'provider',
  columns: [
    ['Name', ({ name }) => name],
    ['Display name', ({ displayName }) => displayName],
    ['Authentication', ({ authType }) => authType],
    ['Implemented', ({ implemented }) => namesOf(implemented)],
    ['Modules', ({ modules }) => Object.keys(modules ?? {}).join(', ')],
    ['Objects in', ({ seeAlso }) => [seeAlso?.provider ?? [], seeAlso?.module ?? []].flat().join(', module ')],
    ['Evidence', ({ evidence }) => evidence?.summary ?? ''],
  ],
  list: {
    async *rows({ mortise, signal }) {
      const catalogue = await mortise.listProviders({}, { signal })
      yield* Object.values(catalogue as Record<string, Provider>).sort((one, two) => (one.name < two.name ? -1 : 1))
    },
  },
  get: { read: ({ mortise, signal }, provider) => mortise.getProvider({ provider }, { signal }) },
})

function namesOf(implemented: Provider['implemented']): string {
  return Object.entries(implemented)
    .flatMap(([name, is]) => (is ? [name] : []))
    .join(', ')
}
