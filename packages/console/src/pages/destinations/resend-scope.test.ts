import { expect, test } from 'vitest'
import { objectsOfSources, sourcesOf } from './resend-scope.ts'

const integration = (name: string, read?: object, displayName?: string) => ({
  id: `id-${name}`,
  name,
  latestRevision: { content: { name, ...(displayName && { displayName }), ...(read && { read }) } },
})
const integrations = [
  integration('crm', {
    objects: [
      { objectName: 'contacts', destination: 'tables' },
      { objectName: 'deals', destination: 'events' },
    ],
  }),
  integration('helpdesk', { objects: [{ objectName: 'tickets', destination: 'tables' }] }, 'Help desk'),
  integration('writes-only'),
]

test('a resend can be limited to what goes to the destination', () => {
  expect(sourcesOf('tables', integrations)).toEqual([
    { id: 'id-crm', name: 'crm', label: 'crm', objects: ['contacts'] },
    { id: 'id-helpdesk', name: 'helpdesk', label: 'Help desk', objects: ['tickets'] },
  ])
  expect(sourcesOf('nothing', integrations)).toEqual([])
})

test('the objects are those of the chosen integration', () => {
  const sources = sourcesOf('tables', integrations)
  expect(objectsOfSources(sources, '')).toEqual(['contacts', 'tickets'])
  expect(objectsOfSources(sources, 'id-helpdesk')).toEqual(['tickets'])
})
