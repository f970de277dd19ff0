import { expect, it } from 'vitest'
import { connected } from '../../testing/things-reader.testkit.ts'

it('the id of a written record is a part of a text of the response', async () => {
  const object = `fields: [{ source: static, fields: { name: string } }]
write:
  answer: { id: 'thing.uri', idCapture: '/things/(?<result>\\d+)$' }
  create: { path: /things }`
  await connected(
    object,
    () => ({ body: { thing: { uri: 'https://api.example.com/things/7' } } }),
    async (connector) => {
      const written = await connector.write({ object: 'things', type: 'create', record: { name: 'x' } })
      expect(written.recordId).toBe('7')
    },
  )
  await connected(
    object,
    () => ({ body: { thing: { uri: 'https://api.example.com/others/7' } } }),
    async (connector) => {
      const written = await connector.write({ object: 'things', type: 'create', record: { name: 'x' } })
      expect(written.recordId).toBeUndefined()
    },
  )
})
