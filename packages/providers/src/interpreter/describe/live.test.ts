import { expect, it } from 'vitest'
import { createConnector } from '../../index.ts'
import { plainHttp, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'

const live = (rest: string) => `read: { path: /things }
fields: [{ source: live, path: /describe, records: fields, name: name, ${rest} }]`

async function described(file: string, answer: object) {
  const entry = thingsProvider(file)
  await using server = await startServer(() => ({ body: answer }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'k' } } as const
  return await createConnector(entry, connection, plainHttp(fetch)).describeObject('things')
}

it('what a field is may depend on several of its values together', async () => {
  const flags =
    'isRequired: { when: { nillable: false, defaulted: false } }, readOnly: { when: { create: false, update: false } }'
  const { fields } = await described(live(flags), {
    fields: [
      { name: 'a', nillable: false, defaulted: false, create: true, update: false },
      { name: 'b', nillable: false, defaulted: true, create: false, update: false },
    ],
  })
  expect(fields['a']).toMatchObject({ isRequired: true, readOnly: false })
  expect(fields['b']).toMatchObject({ isRequired: false, readOnly: true })
})

it('a reference may point at several objects', async () => {
  const { fields } = await described(live('referenceTo: { path: to, map: { Acc: accounts } }'), {
    fields: [
      { name: 'who', to: ['Acc', 'Lead'] },
      { name: 'owner', to: 'User' },
      { name: 'none', to: [] },
    ],
  })
  expect(fields['who']?.referenceTo).toEqual(['accounts', 'Lead'])
  expect(fields['owner']?.referenceTo).toEqual(['User'])
  expect(fields['none']).not.toHaveProperty('referenceTo')
})

it.each([
  ['is the label that the answer gives it', 'about.label', 'Test Object'],
  ['is its name where the answer has none', 'about.missing', 'things'],
])('the label of an object %s', async (_, path, label) => {
  const answer = { about: { label: 'Test Object' }, fields: [{ name: 'a' }] }
  expect((await described(live(`objectDisplayName: ${path}`), answer)).displayName).toBe(label)
  const own = `displayName: Our Things\n${live(`objectDisplayName: ${path}`)}`
  expect((await described(own, answer)).displayName).toBe('Our Things')
})
