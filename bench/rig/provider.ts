import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import process from 'node:process'
import { servePart } from './part.ts'
import { recordBytes, recordsPerPage } from './record-size.ts'

/**
 * A provider whose pages were made before anybody asks, so that it costs as little as a server can: `GET
 * /contacts?pages=N` has N pages of 100 records of 280 bytes each. With the argument `--distinct`, every record has an
 * id that no other has. Otherwise, the records of every twentieth page are the same.
 */

const isDistinct = process.argv.includes('--distinct')

const distinctPages = 20

const pages = Array.from({ length: distinctPages }, (_, page) => {
  const records = Array.from({ length: recordsPerPage }, (_, index) => record(page * recordsPerPage + index))
  return Buffer.from(`{"data":[${records.join(',')}],"next_cursor":`)
})

/**
 * Where the digits of the first record's id are: they number the page, since a page that comes again and again ends a
 * read.
 */
const firstDigits = '{"data":[{"id":"con_'.length

function record(number: number): string {
  const id = `con_${String(number).padStart(8, '0')}`
  const fields = {
    id,
    email: `${id}@customer.example`,
    first_name: 'Ana',
    last_name: `Ferreira ${number}`,
    phone: `+351 21 ${String(number).padStart(7, '0')}`,
    stage: 'customer',
    score: number % 100,
    updated_at: '2026-01-01T00:00:00Z',
    notes: '',
  }
  const missing = recordBytes - Buffer.byteLength(JSON.stringify(fields))
  return JSON.stringify({ ...fields, notes: 'n'.repeat(missing) })
}

/** Writes the ids of a page: its records have the same size, and a comma after each. */
function numberRecords(page: Buffer, from: number): void {
  for (let index = 0; index < recordsPerPage; index++)
    page.write(String(from + index).padStart(8, '0'), firstDigits + index * (recordBytes + 1), 'latin1')
}

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://provider')
  const cursor = Number(url.searchParams.get('cursor') ?? 0)
  const last = cursor + 1 >= Number(url.searchParams.get('pages') ?? 1)
  const page = Buffer.from(pages[cursor % distinctPages] ?? '')
  if (isDistinct) numberRecords(page, cursor * recordsPerPage)
  else page.write(String(cursor).padStart(8, '0'), firstDigits)
  const rest = last ? 'null}' : `"${cursor + 1}"}`
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length + rest.length })
  response.write(page)
  response.end(rest)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1')
await once(server, 'listening')

servePart({ url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
