import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Starts a site that accepts each post. It ends with the process. Returns its URL. */
export async function startSite(): Promise<string> {
  const site = createServer((request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 7, title: { raw: 'Hello' } }))
  })
  await once(site.listen(0, '127.0.0.1').unref(), 'listening')
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}
