import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { auth, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testCertificate } from '../../../kernel/net/test-certificate.ts'
import { type ResultBody, startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'
import { atTheBrowser, DesktopClient } from './desktop-client.testkit.ts'
import { callback, type SignInKit, startSignInKit } from './sign-in.testkit.ts'

const publicUrl = 'https://mortise.example'

let kit: ToolsKit
let signIn: SignInKit
beforeAll(async () => {
  kit = await startToolsKit({ env: { MORTISE_PUBLIC_URL: publicUrl } })
  signIn = await startSignInKit(kit.app, publicUrl)
})
afterAll(() => kit?.stop())

function transportOf(provider: DesktopClient, mcp = signIn.mcp): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(mcp), { authProvider: provider, fetch: signIn.fetch })
}

async function connect(transport: StreamableHTTPClientTransport): Promise<Client> {
  const client = new Client({ name: 'desk', version: '1.0.0' })
  // Its types do not know `exactOptionalPropertyTypes`.
  await client.connect(transport as never)
  return client
}

async function useTools(provider: DesktopClient, mcp?: string): Promise<void> {
  const client = await connect(transportOf(provider, mcp))
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('search_people')
  const result = await client.callTool({ name: 'list_people', arguments: { limit: 1 } })
  expect((result.structuredContent as ResultBody['content']).providerData?.records).toHaveLength(1)
  await client.close()
}

describe('a client of the official SDK', () => {
  test('registers, signs a person in, uses the tools, and refreshes', async () => {
    const group = await kit.group()
    const provider = new DesktopClient()
    const first = transportOf(provider)
    await expect(connect(first)).rejects.toThrow(UnauthorizedError)
    const { code, asked } = await atTheBrowser(kit.app, signIn, provider.opened!, group)
    expect(asked).toMatchObject({ clientName: 'Desk 1', redirectHost: '127.0.0.1', isLocal: true, status: 'waiting' })
    await first.finishAuth(code)
    await useTools(provider)

    const before = provider.saved!
    kit.app.clock.advance(16 * 60_000)
    await useTools(provider)
    expect(provider.saved!.access_token).not.toBe(before.access_token)
    expect(provider.saved!.refresh_token).not.toBe(before.refresh_token)
    kit.app.clock.set(new Date())
    await useTools(provider)
  })

  test('has the name of its registration in the logs of operations', async () => {
    const group = await kit.group()
    const provider = new DesktopClient()
    await auth(provider, { serverUrl: signIn.mcp, fetchFn: signIn.fetch })
    const { code } = await atTheBrowser(kit.app, signIn, provider.opened!, group)
    await auth(provider, { serverUrl: signIn.mcp, authorizationCode: code, fetchFn: signIn.fetch })
    await useTools(provider, `${signIn.mcp}?agent=another-name`)
    const { rows } = await sql<{ agent: string }>`
      select metadata->>'agent' as agent from operations where metadata->>'agent' is not null`.execute(kit.app.db.sql)
    expect(new Set(rows.map(({ agent }) => agent))).toEqual(new Set(['Desk 1']))
  })

  test('signs a person in by its metadata document, without a registration', async () => {
    const group = await kit.group()
    const trusted = getCACertificates('default')
    setDefaultCACertificates([...trusted, testCertificate.cert])
    const server = createServer(testCertificate, (request, response) => {
      const { port } = server.address() as AddressInfo
      const document = {
        client_id: `https://127.0.0.1:${port}${request.url}`,
        client_name: 'Documented',
        redirect_uris: [callback],
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const clientId = `https://127.0.0.1:${(server.address() as AddressInfo).port}/client.json`
      const provider = new DesktopClient(clientId)
      await auth(provider, { serverUrl: signIn.mcp, fetchFn: signIn.fetch })
      const { code, asked } = await atTheBrowser(kit.app, signIn, provider.opened!, group)
      expect(asked).toMatchObject({ clientName: 'Documented', clientId, clientHost: new URL(clientId).host })
      await auth(provider, { serverUrl: signIn.mcp, authorizationCode: code, fetchFn: signIn.fetch })
      await useTools(provider)
      await auth(provider, { serverUrl: signIn.mcp, fetchFn: signIn.fetch })
      await useTools(provider)
    } finally {
      setDefaultCACertificates(trusted)
      server.close()
    }
  })

  test('signs in to the address with the name of the project', async () => {
    const group = await kit.group()
    const provider = new DesktopClient()
    const serverUrl = `${publicUrl}/mcp/v1/projects/default`
    await auth(provider, { serverUrl, fetchFn: signIn.fetch })
    const { code } = await atTheBrowser(kit.app, signIn, provider.opened!, group)
    await auth(provider, { serverUrl, authorizationCode: code, fetchFn: signIn.fetch })
    await useTools(provider, serverUrl)
  })
})

describe('the metadata', () => {
  test('is where a 401 says, and names the authorization server', async () => {
    const asked = await signIn.fetch(signIn.mcp, { method: 'POST', body: '{}' })
    expect(asked.status).toBe(401)
    const [, address = ''] =
      /^Bearer resource_metadata="([^"]+)"$/.exec(asked.headers.get('www-authenticate') ?? '') ?? []
    const resource = await (await signIn.fetch(address)).json()
    expect(resource).toMatchObject({ resource: signIn.mcp, authorization_servers: [signIn.mcp] })
    const path = `/mcp/v1/projects/${kit.app.projectId}`
    for (const url of [
      `${publicUrl}/.well-known/oauth-authorization-server${path}`,
      `${publicUrl}/.well-known/openid-configuration${path}`,
      `${publicUrl}${path}/.well-known/openid-configuration`,
    ]) {
      const answer = await signIn.fetch(url, { headers: { origin: 'https://inspector.example' } })
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
      expect(await answer.json()).toMatchObject({
        issuer: signIn.mcp,
        code_challenge_methods_supported: ['S256'],
        client_id_metadata_document_supported: true,
      })
    }
  })

  test('of a wrong token names the reason, too', async () => {
    const headers = { authorization: `Bearer agent_${'x'.repeat(43)}` }
    const answer = await signIn.fetch(signIn.mcp, { method: 'POST', headers, body: '{}' })
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", resource_metadata="https:/)
  })

  test('does not exist for projects without a sign-in page, and for those that do not exist', async () => {
    for (const project of [kit.app.otherProject.id, 'nothing-here']) {
      const path = `/mcp/v1/projects/${project}`
      const asked = await signIn.fetch(`${publicUrl}${path}`, { method: 'POST', body: '{}' })
      expect(asked.headers.get('www-authenticate')).toBe('Bearer')
      for (const url of [
        `/.well-known/oauth-protected-resource${path}`,
        `/.well-known/oauth-authorization-server${path}`,
        `${path}/oauth/authorize?client_id=x`,
      ])
        expect((await signIn.fetch(`${publicUrl}${url}`)).status, url).toBe(404)
    }
  })
})

test.each(['http://app.example/x', 'https://a:b@app.example', 'https://app.example/#x', 'javascript:alert(1)', 'x'])(
  'the sign-in page cannot be %s',
  async (agentSignInUrl) => {
    const body = { updateMask: ['agentSignInUrl'], project: { agentSignInUrl } }
    const answer = await kit.app.call<{ issues: { name: string }[] }>('PATCH', kit.base, body)
    expect([answer.status, answer.body.issues.map(({ name }) => name)]).toEqual([400, ['project.agentSignInUrl']])
  },
)
