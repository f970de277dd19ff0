import { expect, it } from 'vitest'
import { loadCatalogue, openStream, readStreamEvent, streamOf, topicOf } from '../index.ts'
import { plainHttp, startServer } from '../testing/http-server.testkit.ts'
import { testCache } from '../testing/test-cache.testkit.ts'

const catalogue = await loadCatalogue({ cacheDir: testCache })
const stream = streamOf(catalogue.find('salesforce'), undefined)

it.each([
  ['Account', '/data/AccountChangeEvent'],
  ['Car__c', '/data/Car__ChangeEvent'],
  ['acme__Car__c', '/data/acme__Car__ChangeEvent'],
])('changes of %s are on the topic %s', (object, topic) => {
  expect(stream && topicOf(stream, object)).toBe(topic)
  expect(streamOf(catalogue.find('salesforce'), 'account-engagement')).toBeUndefined()
})

/** As developer.salesforce.com/docs/atlas.en-us.change_data_capture.meta/change_data_capture shows one. */
const change = (changeType: string, recordIds: unknown, changedFields: string[] = []) => {
  if (!stream) throw new Error('salesforce has no stream')
  const header = { entityName: 'Account', recordIds, changeType, commitTimestamp: 1_501_010_206_653, changedFields }
  return readStreamEvent(stream, { ChangeEventHeader: header, Name: 'Acme' })
}

it('an event about several records is one for each', () => {
  const event = change('UPDATE', ['001xx000003DGb1AAG', '001xx000003DGb2AAG', '001xx000003DGb1AAG'], ['Name'])
  expect(event).toMatchObject({
    name: 'UPDATE',
    isMissed: false,
    time: new Date(1_501_010_206_653),
    fieldsUpdated: ['Name'],
    records: [
      { id: '001xx000003DGb1AAG', raw: { ChangeEventHeader: { recordIds: ['001xx000003DGb1AAG'] }, Name: 'Acme' } },
      { id: '001xx000003DGb2AAG' },
    ],
  })
  // Without the names of the fields, any may have changed.
  expect(change('GAP_UPDATE', ['001xx000003DGb1AAG'])).not.toHaveProperty('fieldsUpdated')
})

it.each([
  ['an overflow', 'GAP_OVERFLOW', ['000000000000000AAA']],
  ['a wildcard', 'UPDATE', ['001*']],
  ['no record', 'UPDATE', []],
  ['something that is not a list', 'UPDATE', { id: 1 }],
])('%s makes a read of the object', (_, name, ids) => {
  expect(change(name, ids)).toMatchObject({ isMissed: true, records: [] })
})

it('an event without a name, or of another shape, is none', () => {
  for (const decoded of [{}, [], null, 'CREATE', { ChangeEventHeader: null }])
    expect(stream && readStreamEvent(stream, decoded)).toBeUndefined()
})

it('a call has the token, the instance and the organization, which is requested once', async () => {
  const server = await startServer(() => ({ status: 200, body: { organization_id: '00Dxx0000001gEREAY' } }))
  await using _ = server
  const entry = catalogue.find('salesforce')
  if (!entry) throw new Error('no salesforce')
  const attachment = { headers: { authorization: 'Bearer to.ken!' }, query: {}, secrets: ['to.ken!'], generation: 3 }
  const credential = { authenticate: async () => attachment, refused: async () => false }
  const http = plainHttp(fetch, { from: 'https://acme.my.salesforce.com', to: server.origin })
  const opened = openStream(entry, { metadata: { workspace: 'acme' }, credential }, http)
  const { signal } = new AbortController()
  const headers = {
    accesstoken: 'to.ken!',
    instanceurl: 'https://acme.my.salesforce.com',
    tenantid: '00Dxx0000001gEREAY',
  }
  expect(await opened.headers(signal)).toEqual({ headers, generation: 3 })
  await opened.headers(signal)
  expect(server.seen.map(({ url }) => url.pathname)).toEqual(['/services/oauth2/userinfo'])
  expect([opened.host, opened.port]).toEqual(['api.pubsub.salesforce.com', 7443])
  expect(opened.safe('refused to.ken!')).not.toContain('to.ken!')
})
