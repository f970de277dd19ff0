import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { craftZip } from '../../../../testkit/craft-zip.ts'
import {
  type DeployRig,
  type IntegrationBody,
  type ProblemBody,
  startDeployRig,
} from '../../../../testkit/deploy-rig.ts'

let rig: DeployRig
let server: Server | undefined
beforeAll(async () => {
  rig = await startDeployRig()
})
afterAll(() => rig?.stop())
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

const yaml = `specVersion: 1.0.0
integrations:
  - { name: fetched, provider: hubspot, proxy: { enabled: true } }
`
const zip = craftZip([{ name: 'repo-main/mortise.yaml', content: yaml }])

async function serve(answer: RequestListener): Promise<string> {
  server = createServer(answer)
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const deploy = <T = ProblemBody>(sourceZipUrl: string) =>
  rig.call<T>('PUT', '/projects/default/integrations:batch', { sourceZipUrl })

describe('a zip from elsewhere', () => {
  it('is fetched, redirects followed, and nothing of ours sent along', async () => {
    const seen: unknown[] = []
    const url = await serve((request, response) => {
      seen.push(request.headers['x-api-key'], request.headers.authorization)
      if (request.url === '/latest') response.writeHead(302, { location: '/v2.zip' }).end()
      else response.end(zip)
    })
    const { status, body } = await deploy<IntegrationBody[]>(`${url}/latest`)
    expect([status, body[0]?.name]).toEqual([200, 'fetched'])
    expect(seen).toEqual([undefined, undefined, undefined, undefined])
  })

  it.each([
    ['is missing', (_, response) => response.writeHead(404).end('no'), /status 404/],
    ['is more than 10 MB', (_, response) => response.end(Buffer.alloc(11 * 1024 * 1024)), /more than/],
    ['redirects without end', (_, response) => response.writeHead(302, { location: '/again' }).end(), /redirects/],
    [
      'redirects to a private address',
      (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/' }).end(),
      /./,
    ],
    ['is no zip', (_, response) => response.end('<html>'), /not a zip/],
    [
      'breaks off',
      (_, response) => response.writeHead(200, { 'content-length': '999' }).write('PK', () => response.destroy()),
      /./,
    ],
  ] satisfies [string, RequestListener, RegExp][])('is refused that %s', async (_, answer, detail) => {
    const { status, body } = await deploy(`${await serve(answer)}/a.zip`)
    expect(status).toBe(422)
    expect(body.issues).toHaveLength(1)
    expect(body.issues[0]).toMatchObject({ in: 'body', name: 'sourceZipUrl', remedy: expect.any(String) })
    expect(body.issues[0]?.detail).toMatch(detail)
  })

  it.each([
    'no url',
    'file:///etc/passwd',
    'ftp://example.com/a.zip',
    'gs://somewhere/else.zip',
    'gs://uploads/',
    'gs://uploads/../secrets',
    'http://169.254.169.254/latest/meta-data',
    'http://10.0.0.1/a.zip',
    'https://user:secret@example.com/a.zip',
    'data:application/zip;base64,UEsDBA==',
  ])('is refused from %s', async (url) => {
    const { status, body } = await deploy(url)
    expect(status).toBe(422)
    expect(body.issues[0]).toMatchObject({
      name: 'sourceZipUrl',
      detail: expect.any(String),
      remedy: expect.any(String),
    })
  })
})
