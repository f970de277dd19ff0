import { expect, it } from 'vitest'
import type { Answer, SeenRequest } from '../testing/http-server.testkit.ts'
import { asked, openProvider } from '../testing/open-provider.testkit.ts'

/** What developers.cloudtalk.io shows as answers, as far as the provider file relies on it. */

const credential = { scheme: 'basic', username: 'id', password: 'key' } as const

it('a record is in an object with the name of its kind', async () => {
  const data = [{ Contact: { id: '1234', name: 'John Doe' }, ContactEmail: { email: 'john@example.com' } }]
  const answer = (): Answer => ({ body: { responseData: { itemsCount: 1, pageCount: 1, pageNumber: 1, data } } })
  await using provider = await openProvider('cloudTalk', answer, { credential })
  expect(
    await provider.connector.readPage({ object: 'contacts', fields: ['id', 'name', 'ContactEmail'] }),
  ).toMatchObject({
    records: [{ id: '1234', fields: { id: '1234', name: 'John Doe', contactemail: { email: 'john@example.com' } } }],
    nextPage: undefined,
  })
})

it('a note is added to its contact; a refusal says why', async () => {
  const answer = ({ method, body }: SeenRequest): Answer =>
    method === 'PUT' && body.includes('later')
      ? { status: 201, body: { responseData: { status: 201, data: { id: '12345' } } } }
      : {
          status: 406,
          body: { responseData: { status: 406, message: 'Invalid input data.', data: { note: ['Required.'] } } },
        }
  await using provider = await openProvider('cloudTalk', answer, { credential })
  const { connector } = provider
  const request = { object: 'notes', type: 'create' } as const
  const record = { contact_id: 7, note: 'Call later' }
  expect(await connector.write({ ...request, record })).toMatchObject({ success: true, recordId: '12345' })
  expect(asked(provider.seen)).toEqual(['PUT /api/notes/add/7.json {"note":"Call later"}'])
  await expect(connector.write({ ...request, record: { contact_id: 7 } })).rejects.toMatchObject({
    class: 'bad_request',
    providerMessage: 'Invalid input data.',
    errors: [{ message: 'note: Required.' }],
  })
})

it('notes of a contact are found, and attributes of contacts are one list', async () => {
  const answer = ({ url }: SeenRequest): Answer =>
    url.pathname.includes('attributes')
      ? { body: { responseData: [{ ContactAttribute: { id: '123', title: 'Salary' } }] } }
      : {
          body: {
            responseData: {
              itemsCount: 1,
              pageCount: 1,
              pageNumber: 1,
              data: [{ ContactNote: { id: '1234', contact_id: '567', user_id: '456', note: 'Call later' } }],
            },
          },
        }
  await using provider = await openProvider('cloudTalk', answer, { credential })
  const { connector } = provider
  const filters = [{ field: 'contact_id', operator: 'eq', value: '567' }] as const
  expect(await connector.search?.({ object: 'notes', fields: ['id', 'note'], filters })).toMatchObject({
    records: [{ id: '1234', fields: { note: 'Call later' } }],
  })
  expect(await connector.readPage({ object: 'contact_attributes', fields: ['title'] })).toMatchObject({
    records: [{ id: '123', fields: { title: 'Salary' } }],
    nextPage: undefined,
  })
  expect(asked(provider.seen)).toEqual([
    expect.stringMatching(/^GET \/api\/notes\/index\.json\?.*contact_id=567/),
    'GET /api/contacts/attributes.json',
  ])
})
