import { expect, test } from 'vitest'
import { found } from './found.ts'

test.each([
  [{ kind: 'group', id: 'acme/eu 1', name: 'Acme' }, '/crm/customers/acme%2Feu%201', undefined],
  [{ kind: 'installation', id: 'i', integrationId: 'n', name: 'Acme' }, '/crm/installations/n/i', undefined],
  [{ kind: 'connection', id: 'c', provider: 'hubspot', name: '' }, '/crm/connections/c', undefined],
  [{ kind: 'consumer', id: 'ada', name: 'Ada' }, '/crm/connections', { consumerRef: 'ada' }],
  [{ kind: 'operation', id: 'o', name: 'contacts' }, '/crm/operations/o', undefined],
  [{ kind: 'revision', id: 'r', integrationId: 'n', name: 'hubspot' }, '/crm/integrations/n/revisions', { to: 'r' }],
  [{ kind: 'providerApp', id: 'a', provider: 'hubspot', name: '' }, '/crm/providers/hubspot/apps', { app: 'a' }],
] as const)('%o leads to %s', (result, to, search) => {
  const page = found('crm', result)
  expect(page.to).toBe(to)
  expect(page.search).toEqual(search)
  expect(page.label).toBe(result.name || result.id)
})
