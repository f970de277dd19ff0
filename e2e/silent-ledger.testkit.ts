// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Contacts have nothing that makes a repetition harmless; notes take a key; deals are there already, and are updated.
 */
const file = `
name: silentLedger
displayName: Silent ledger
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
templates:
  listed:
    read: { path: '/{{kind}}', records: data, paging: { kind: none } }
    write: { body: { record: { $value: record } }, create: { path: '/{{kind}}' }, update: { path: '/{{kind}}/{{id}}' } }
objects:
  contacts: { like: listed, set: { kind: contacts } }
  deals: { like: listed, set: { kind: deals } }
  notes:
    like: listed
    set: { kind: notes }
    write:
      headers: { Idempotency-Key: '{{idempotencyKey}}' }
`

/** A write as the provider saw it. */
export interface SeenWrite {
  /** Path without what follows the kind: `contacts`, `notes`, `deals`. */
  kind: string
  name: string
  key: string | undefined
}

/** A provider that does what it is asked, and answers unless it was told to be silent. */
export async function startSilentLedger() {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-silent-'))
  await writeFile(join(folder, 'silentLedger.yaml'), file)
  const writes: SeenWrite[] = []
  let isSilent = false
  let unanswered = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { record } = JSON.parse(Buffer.concat(chunks).toString()) as { record: { name: string } }
    const [, kind = '', id] = (request.url ?? '').split('/')
    const key = request.headers['idempotency-key']
    writes.push({ kind, name: record.name, key: typeof key === 'string' ? key : undefined })
    if (isSilent) unanswered++
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ id: id ?? record.name }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder,
    writes,
    unanswered: () => unanswered,
    silent(now: boolean) {
      isSilent = now
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
