import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createConnector } from '../interpreter/create-connector.ts'
import { type Answer, plainHttp, type SeenRequest, startServer } from '../testing/http-server.testkit.ts'
import { asked, openProvider, readAll } from '../testing/open-provider.testkit.ts'

const metadata = { region: 'eu', marketplaceId: 'A1PA6795UKMFR9', sellerId: 'S1' }
const now = () => Date.parse('2026-11-28T12:00:00Z')
const pause = async () => undefined
const path = '/reports/2021-06-30'
const tsv = 'item-name\tseller-sku\tprice\n"5"" disk\tA-1\t9.99\nSchöne Tasse\tB-2\t\n'

interface Document {
  body: string | Buffer
  type?: string
  status?: number
  location?: string
}

/** A bucket with one document, which is sent byte for byte. */
async function startBucket({ body, type = 'text/plain; charset=UTF-8', status = 200, location }: Document) {
  const seen: { search: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer(({ url = '/', headers }, response) => {
    seen.push({ search: new URL(url, 'http://bucket').search, headers })
    response.writeHead(status, { 'content-type': type, ...(location && { location }) }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, [Symbol.asyncDispose]: close }
}

/** A seller account whose report has this document, at a bucket of its own. */
async function openReport(document: Document, { states = ['DONE'], details = {}, object = 'listingsReport' } = {}) {
  const bucket = await startBucket(document)
  const left = [...states]
  const answer = ({ method, url }: SeenRequest): Answer => {
    if (method === 'DELETE') return { status: 200, body: {} }
    if (method === 'POST') return { status: 202, body: { reportId: 'R1' } }
    if (url.pathname === `${path}/reports/R1`)
      return { body: { processingStatus: left.length > 1 ? left.shift() : left[0], reportDocumentId: 'D1' } }
    return {
      body: { reportDocumentId: 'D1', url: 'https://tortuga-prod-eu.s3-eu-west-1.amazonaws.com/x?sig=1', ...details },
    }
  }
  const opened = await openProvider('amazonSellingPartner', answer, { metadata, now, pause })
  const api = await startServer(answer)
  const toApi = plainHttp(fetch, { from: 'https://sellingpartnerapi-eu.amazon.com', to: api.origin })
  const toBucket = plainHttp(fetch, { from: 'https://tortuga-prod-eu.s3-eu-west-1.amazonaws.com', to: bucket.origin })
  const connection = { metadata, credential: { scheme: 'oauth2', accessToken: 't1' } as const }
  const connector = createConnector(
    opened.entry,
    connection,
    (request) => (request.url.includes('amazonaws') ? toBucket(request) : toApi(request)),
    { now, pause },
  )
  const read = { object, fields: 'all', mayWait: true } as const
  return {
    connector,
    read: () => readAll(connector, read),
    api,
    bucket,
    async [Symbol.asyncDispose]() {
      await Promise.all([opened, api, bucket].map((one) => one[Symbol.asyncDispose]()))
    },
  }
}

it('requests carry the token in the header of Amazon, at the host of the region', async () => {
  const answer = () => ({ body: { payload: { inventorySummaries: [{ sellerSku: 'A-1' }] } } })
  await using amazon = await openProvider('amazonSellingPartner', answer, { metadata, now })
  expect(
    (await readAll(amazon.connector, { object: 'inventorySummaries', fields: 'all' })).map(({ id }) => id),
  ).toEqual(['A-1'])
  expect(amazon.seen[0]?.headers).toMatchObject({ 'x-amz-access-token': 't1' })
  expect(amazon.seen[0]?.headers).not.toHaveProperty('authorization')
})

it('orders are those that changed since a time, and items are read from them', async () => {
  const pages = [
    {
      orders: [{ orderId: '1', orderItems: [{ orderItemId: 'a' }, { orderItemId: 'b' }] }],
      pagination: { nextToken: 'n' },
    },
    { orders: [{ orderId: '2', orderItems: [{ orderItemId: 'c' }] }] },
  ]
  await using amazon = await openProvider('amazonSellingPartner', () => ({ body: pages.shift() }), { metadata, now })
  const read = { object: 'orderItems', fields: ['orderId'], since: new Date('2026-11-01T00:00:00Z') }
  const items = await readAll(amazon.connector, read)
  expect(items.map(({ id, fields }) => [id, fields['orderid']])).toEqual([
    ['a', '1'],
    ['b', '1'],
    ['c', '2'],
  ])
  const list =
    'GET /orders/2026-01-01/orders?marketplaceIds=A1PA6795UKMFR9&maxResultsPerPage=100&lastUpdatedAfter=2026-11-01T00:00:00.000Z&includedData=PROCEEDS,EXPENSE,PROMOTION,CANCELLATION,FULFILLMENT,PACKAGES'
  expect(asked(amazon.seen)).toEqual([list, `${list}&paginationToken=n`])
})

it('a report is requested, awaited and downloaded without the token, as tab-separated values', async () => {
  await using report = await openReport({ body: tsv }, { states: ['IN_QUEUE', 'IN_PROGRESS', 'DONE'] })
  const records = await report.read()
  expect(records.map(({ id, raw }) => [id, raw])).toEqual([
    ['A-1', { 'item-name': '"5"" disk', 'seller-sku': 'A-1', price: '9.99' }],
    ['B-2', { 'item-name': 'Schöne Tasse', 'seller-sku': 'B-2', price: null }],
  ])
  const state = `GET ${path}/reports/R1`
  expect(asked(report.api.seen)).toEqual([
    `POST ${path}/reports {"reportType":"GET_MERCHANT_LISTINGS_ALL_DATA","marketplaceIds":["A1PA6795UKMFR9"]}`,
    ...[state, state, state, `GET ${path}/documents/D1`],
  ])
  expect(report.bucket.seen.map(({ search, headers }) => [search, headers['x-amz-access-token']])).toEqual([
    ['?sig=1', undefined],
  ])
})

it.each([
  ['GZIP', gzipSync(tsv), 'text/plain; charset=UTF-8'],
  ['GZIP and another encoding', gzipSync(Buffer.from(tsv, 'latin1')), 'text/plain; charset=Cp1252'],
])('a document in %s is decoded', async (_, body, type) => {
  await using report = await openReport({ body, type }, { details: { compressionAlgorithm: 'GZIP' } })
  expect((await report.read()).map(({ raw }) => raw['item-name'])).toEqual(['"5"" disk', 'Schöne Tasse'])
})

it.each(['FATAL', 'CANCELLED'])('a report that ends as %s is an error, and no empty list', async (state) => {
  await using failed = await openReport({ body: '' }, { states: [state] })
  await expect(failed.read()).rejects.toMatchObject({
    class: 'unexpected_response',
    message: `The job ended as ${state}.`,
  })
})

it('transactions are read until three minutes ago, from two days earlier', async () => {
  const answer = () => ({ body: { payload: { transactions: [] } } })
  await using amazon = await openProvider('amazonSellingPartner', answer, { metadata, now })
  await readAll(amazon.connector, { object: 'transactions', fields: 'all', since: new Date('2026-11-28T11:59:00Z') })
  expect(asked(amazon.seen)).toEqual([
    'GET /finances/2024-06-19/transactions?marketplaceId=A1PA6795UKMFR9&postedAfter=2026-11-26T11:59:00Z&postedBefore=2026-11-28T11:57:00Z',
  ])
})

it('transactions of the US are read without the marketplace, which would leave out orders that the seller ships', async () => {
  const answer = () => ({ body: { payload: { transactions: [] } } })
  const us = { region: 'na', marketplaceId: 'ATVPDKIKX0DER', sellerId: 'S1' }
  await using amazon = await openProvider('amazonSellingPartner', answer, { metadata: us, now })
  await readAll(amazon.connector, { object: 'transactions', fields: 'all', since: new Date('2026-11-28T11:59:00Z') })
  expect(asked(amazon.seen)).toEqual([
    'GET /finances/2024-06-19/transactions?postedAfter=2026-11-26T11:59:00Z&postedBefore=2026-11-28T11:57:00Z',
  ])
})

it('the full history has orders since 2016, which three marketplaces keep, and an order is read by its id', async () => {
  const answer = ({ url }: SeenRequest): Answer =>
    url.pathname.endsWith('/orders') ? { body: { orders: [] } } : { body: { order: { orderId: '7' } } }
  await using amazon = await openProvider('amazonSellingPartner', answer, { metadata, now })
  await readAll(amazon.connector, { object: 'orders', fields: 'all' })
  expect(amazon.seen[0]?.url.searchParams.get('lastUpdatedAfter')).toBe('2016-01-01T00:00:00.000Z')
  expect(await amazon.connector.fetchRecord('orders', '7', 'all')).toMatchObject({ id: '7' })
  expect(asked(amazon.seen)[1]).toMatch(/^GET \/orders\/2026-01-01\/orders\/7\?includedData=PROCEEDS/)
})

it('countries of Europe with a Seller Central of their own can be authorized', async () => {
  await using amazon = await openProvider('amazonSellingPartner', () => ({ body: {} }), { metadata, now })
  const hosts = amazon.entry.inputs?.find(({ name }) => name === 'sellerCentral')?.hosts
  expect(hosts).toEqual(expect.arrayContaining(['sellercentral.amazon.nl', 'sellercentral.amazon.com.be']))
})

it('a caller that cannot wait gets an error, and no report is requested', async () => {
  await using report = await openReport({ body: '' }, { states: ['IN_QUEUE'] })
  const read = report.connector.readPage({ object: 'listingsReport', fields: 'all' })
  await expect(read).rejects.toMatchObject({ name: 'OnlyInBackground', class: 'bad_request' })
  expect(report.api.seen).toEqual([])
})

const gzip = { details: { compressionAlgorithm: 'GZIP' } }
const cut = gzipSync(tsv).subarray(0, 40)
const line = `${'x'.repeat(20_000)}\tA\t1\n`
const bomb = gzipSync(`a\tseller-sku\tb\n${line.repeat(1_200)}`)
it.each<[string, Document, object, string]>([
  ['no line', { body: '' }, {}, 'it is empty'],
  ['a page of HTML', { body: '<html>\n<p>Sorry</p>\n' }, {}, 'its first line has no column "seller-sku"'],
  ['values without names', { body: 'Cup\tB-2\t3\n' }, {}, 'its first line has no column "seller-sku"'],
  ['a row of another length', { body: `${tsv}Cup\tC-3\n` }, {}, 'it is not valid TSV'],
  ['half of a compressed document', { body: cut }, gzip, 'it is not valid GZIP, or is cut'],
  ['text in place of a compressed document', { body: tsv }, gzip, 'it is not valid GZIP, or is cut'],
  ['a compressed document that fills memory', { body: bomb }, gzip, 'it expands to more than a result has'],
  ['an encoding that nobody knows', { body: tsv, type: 'text/plain; charset=cp0' }, {}, 'its encoding is not known'],
])('%s is an error', async (_, document, options, message) => {
  await using report = await openReport(document, options)
  await expect(report.read()).rejects.toMatchObject({
    class: 'unexpected_response',
    message: expect.stringContaining(message),
  })
})

it('a URL of another host is refused, and a redirect is not followed', async () => {
  for (const url of [
    'https://evil.example.com/x',
    'https://x.amazonaws.com.evil.example.com/x',
    'http://x.amazonaws.com/x',
  ]) {
    await using report = await openReport({ body: tsv }, { details: { url } })
    await expect(report.read()).rejects.toMatchObject({
      message: expect.stringContaining('at a host that its file does not allow'),
    })
    expect(report.bucket.seen).toEqual([])
  }
  await using evil = await startBucket({ body: tsv })
  await using report = await openReport({ body: '', status: 302, location: evil.origin })
  await expect(report.read()).rejects.toThrow()
  expect([report.bucket.seen.length, evil.seen]).toEqual([1, []])
})
