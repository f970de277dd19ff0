// biome-ignore-start lint/style/noRestrictedImports: a provider of the tests' own.
import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Tells of contacts that are gone, at the URL that is registered for each installation, and signs what it tells. */
const file = `
name: hookLedger
displayName: Hook ledger
baseUrl: '{{url}}'
inputs: [{ name: url, displayName: Address, prompt: Where it runs, kind: url }]
authentication: [{ scheme: apiKey, attach: header, name: X-Api-Key }]
objects:
  contacts:
    read: { path: /contacts, records: data, paging: { kind: none } }
webhooks:
  endpoint: installation
  registration:
    per: object
    create: { path: /hooks, body: { callback: '{{url}}', secret: '{{secret}}' } }
    id: id
    delete: { method: DELETE, path: '/hooks/{{id}}' }
  verify:
    by: hmac
    algorithm: sha256
    encoding: hex
    header: X-Signature
    signedText: '{{body}}'
    secret: { from: generated }
  event: { list: events, name: type, id: [recordId], key: [eventId] }
  otherObjects: { delete: [gone] }
`

/** A provider with webhooks. */
export async function startHookLedger() {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-hook-ledger-'))
  await writeFile(join(folder, 'hookLedger.yaml'), file)
  let registered: (hook: { callback: string; secret: string }) => void
  const hook = new Promise<{ callback: string; secret: string }>((resolve) => {
    registered = resolve
  })
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.method === 'POST') registered(JSON.parse(Buffer.concat(chunks).toString()))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"hook","data":[]}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    folder,
    /** Resolves when there is somebody to tell. */
    hook,
    /** Tells that contacts are gone; answers the status, and rejects when there was no answer. */
    async tell(ids: string[]): Promise<number> {
      const { callback, secret } = await hook
      const body = JSON.stringify({ events: ids.map((id) => ({ type: 'gone', recordId: id, eventId: id })) })
      const signature = createHmac('sha256', secret).update(body).digest('hex')
      const headers = { 'x-signature': signature, 'content-type': 'application/json' }
      return (await fetch(callback, { method: 'POST', headers, body })).status
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
