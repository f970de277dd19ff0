import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SampleCrm } from '@mortise-examples/sample-crm'

/**
 * The sample CRM behind a front that takes any credential, and, when told to fail, tells everything that it was sent.
 */
export interface EchoingCrm {
  readonly url: string
  /** 200 answers as the CRM does; any other status fails. */
  answerWith(status: number): void
  /** Failures answered so far. */
  failures(): number
  close(): Promise<void>
}

export async function startEchoingCrm(crm: SampleCrm): Promise<EchoingCrm> {
  let status = 200
  let failures = 0
  const server = createServer(async (request, response) => {
    if (status !== 200) {
      failures++
      const { authorization = '' } = request.headers
      const header = request.headers['x-api-key']?.toString() ?? ''
      const decoded = Buffer.from(authorization.split(' ')[1] ?? '', 'base64').toString()
      const query = new URL(request.url ?? '', crm.url).searchParams.get('api_key') ?? ''
      const key = [header, query, decoded.slice(decoded.indexOf(':') + 1)].find((part) => part !== '') ?? ''
      const spellings = [
        key,
        encodeURIComponent(key),
        Buffer.from(key).toString('base64'),
        Buffer.from(key).toString('hex'),
      ]
      const message = `Wrong: ${spellings.join(' ')} ${authorization} ${request.url} ${JSON.stringify(key)}`
      response.writeHead(status, {
        'content-type': 'application/json',
        'www-authenticate': `Key realm="${key}"`,
        'x-echo': authorization,
      })
      response.end(JSON.stringify({ error: { message }, seen: request.headers }))
      return
    }
    const asked = new URL(request.url ?? '', crm.url)
    asked.searchParams.delete('api_key')
    const answer = await fetch(asked, { headers: { 'x-api-key': crm.apiKey } })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answerWith: (next) => {
      status = next
    },
    failures: () => failures,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
