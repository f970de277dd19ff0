import { expect, it } from 'vitest'
import { createConnector, type WriteRequest } from '../../index.ts'
import { type Answer, plainHttp, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'

const page = '<!doctype html><html><head><title>Maintenance</title></head></html>'

async function write(object: string, answer: Answer, request: Partial<WriteRequest> = {}) {
  await using server = await startServer(() => answer)
  const connection = {
    metadata: { baseUrl: server.origin },
    credential: { scheme: 'apiKey', apiKey: 'key' },
  } as const
  const connector = createConnector(thingsProvider(object), connection, plainHttp(fetch))
  return await connector.write({ object: 'things', type: 'create', record: { name: 'A' }, ...request })
}

const unexpected = { class: 'unexpected_response', message: expect.stringContaining('titled "Maintenance"') }

it('a page of HTML is no success where the file declares only what a refusal looks like', async () => {
  const object = `write:
  answer: { refusals: { list: errors } }
  create: { path: /things }
  update: { path: '/things/{{id}}' }`
  await expect(write(object, { body: page })).rejects.toMatchObject(unexpected)
  await expect(write(object, { body: page }, { type: 'update', id: '7' })).rejects.toMatchObject(unexpected)
})

it('a page of HTML is no success where the id is known from the record that was sent', async () => {
  const object = `read: { path: /things, id: [owner, name] }
write: { create: { path: '/things' } }`
  const record = { owner: 'o', name: 'A' }
  await expect(write(object, { body: page }, { record })).rejects.toMatchObject(unexpected)
})

it('a page of HTML is a success if a header has the id of the record', async () => {
  const object = 'write: { create: { path: /things, answer: { idHeader: { name: Location } } } }'
  const created = { status: 201, headers: { location: '/things/7' }, body: page }
  expect(await write(object, created)).toMatchObject({ success: true, recordId: '7' })
})
