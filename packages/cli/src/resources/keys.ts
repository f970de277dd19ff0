import type { Item } from '@mortise/client'
import { all, resource, timeText } from './resource.ts'

export const apiKeys = resource<Item<'listApiKeys'>>({
  name: 'api-keys',
  one: 'api-key',
  columns: [
    ['Label', ({ label }) => label],
    ['Key', ({ key }) => key],
    ['Scopes', ({ scopes }) => scopes?.join(', ')],
    ['Active', ({ active }) => (active ? 'yes' : 'no')],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => all(mortise.listApiKeys({}, { signal })) },
  get: {
    secrets: true,
    // The service returns the key itself. Show it only on request.
    read: async ({ mortise, signal, secrets }, id) => {
      const apiKey = await mortise.getApiKey({ apiKey: id }, { signal })
      return secrets ? apiKey : { ...apiKey, key: apiKey.hint }
    },
  },
  delete: { run: ({ mortise, signal }, apiKey) => mortise.deleteApiKey({ apiKey }, { signal }) },
})

export const jwtKeys = resource<Item<'listJWTKeys'>>({
  name: 'jwt-keys',
  one: 'jwt-key',
  columns: [
    ['Label', ({ label }) => label],
    ['Active', ({ active }) => (active ? 'yes' : 'no')],
    ['Id', ({ id }) => id],
    ['Created', ({ createTime }) => timeText(createTime)],
  ],
  list: { rows: ({ mortise, signal }) => all(mortise.listJWTKeys({}, { signal })) },
  get: { read: ({ mortise, signal }, keyId) => mortise.getJWTKey({ keyId }, { signal }) },
  delete: { run: ({ mortise, signal }, keyId) => mortise.deleteJWTKey({ keyId }, { signal }) },
})
