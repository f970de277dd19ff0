import { auth as authOfAiSdk, createMCPClient } from '@ai-sdk/mcp'
import { auth, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ResultBody, startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'
import { atTheBrowser, DesktopClient } from './desktop-client.testkit.ts'
import { type SignInKit, startSignInKit } from './sign-in.testkit.ts'

/** What a person does with the agent of a product, by two clients that were made by others. */

const publicUrl = 'https://mortise.example'

let kit: ToolsKit
let signIn: SignInKit
beforeAll(async () => {
  kit = await startToolsKit({ env: { MORTISE_PUBLIC_URL: publicUrl } })
  signIn = await startSignInKit(kit.app, publicUrl)
})
afterAll(() => kit?.stop())

interface OpenClient {
  list(): Promise<string[]>
  call(
    name: string,
    args: Record<string, unknown>,
  ): Promise<{ isError?: boolean | undefined; structuredContent?: unknown }>
  close(): Promise<void>
}

interface ClientKind {
  name: string
  signIn(provider: DesktopClient, authorizationCode?: string): Promise<unknown>
  open(provider: DesktopClient): Promise<OpenClient>
}

const official: ClientKind = {
  name: 'the official SDK',
  signIn: (provider, code) =>
    auth(provider as never, {
      serverUrl: signIn.mcp,
      fetchFn: signIn.fetch,
      ...(code !== undefined && { authorizationCode: code, iss: signIn.mcp }),
    }),
  async open(provider) {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    const options = { authProvider: provider as never, fetch: signIn.fetch }
    await client.connect(new StreamableHTTPClientTransport(new URL(signIn.mcp), options))
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: (name, args) => client.callTool({ name, arguments: args }),
      close: () => client.close(),
    }
  },
}

const aiSdk: ClientKind = {
  name: 'the AI SDK',
  signIn: (provider, code) =>
    authOfAiSdk(provider as never, {
      serverUrl: signIn.mcp,
      fetchFn: signIn.fetch,
      ...(code !== undefined && { authorizationCode: code, callbackState: provider.state() }),
    }),
  async open(provider) {
    const client = await createMCPClient({
      transport: { type: 'http', url: signIn.mcp, authProvider: provider as never, fetch: signIn.fetch },
    })
    const tools = await client.tools()
    return {
      list: async () => Object.keys(tools),
      call: async (name, args) =>
        (await tools[name]!.execute(args, { toolCallId: '1', messages: [] } as never)) as never,
      close: () => client.close(),
    }
  },
}

describe.each([official, aiSdk])('$name', (kind) => {
  test('signs in, searches, changes with an approval, and learns what it may not do', async () => {
    const rules = { confirm: { update: 'approval' }, hiddenFields: ['score'] }
    const group = await kit.group(rules, { agent: { limits: { callsPerMinute: 6 } } })
    const provider = new DesktopClient()
    expect(await kind.signIn(provider)).toBe('REDIRECT')
    const { code } = await atTheBrowser(kit.app, signIn, provider.opened!, group)
    expect(await kind.signIn(provider, code)).toBe('AUTHORIZED')
    const client = await kind.open(provider)
    const call = async (name: string, args: Record<string, unknown>) => {
      const { isError, structuredContent } = await client.call(name, args)
      return { isError: isError === true, content: structuredContent as ResultBody['content'] }
    }
    expect(await client.list()).toEqual(
      expect.arrayContaining(['search_people', 'update_people', 'get_approval_result']),
    )

    const found = await call('search_people', { where: { lifecycle: 'lead' }, limit: 1 })
    const [record] = (found.content.providerData?.records ?? []) as [{ id: string }]
    expect(record).not.toHaveProperty('score')
    const asked = await call('update_people', { id: record.id, fields: { lifecycle: 'lost' } })
    expect(asked.content.status).toBe('waiting_for_approval')
    const { approvalId = '' } = asked.content
    expect((await call('get_approval_result', { id: approvalId })).content.status).toBe('waiting')
    const approved = await kit.app.call('POST', `${kit.base}/approvals/${approvalId}:approve`, {})
    expect(approved.status).toBe(200)
    expect((await call('get_approval_result', { id: approvalId })).content.done).toBe('update')
    expect(kit.crm.contact(record.id)?.stage).toBe('lost')

    const hidden = await call('search_people', { where: { score: 1 } })
    expect(hidden).toMatchObject({ isError: true, content: { error: { code: 'arguments_refused' } } })
    for (let number = 0; number < 6; number++) await call('list_people', { limit: 1 })
    const limited = await call('list_people', { limit: 1 })
    expect(limited.content.error).toMatchObject({ code: 'limit_reached', retryAfterSeconds: expect.any(Number) })
    kit.app.clock.advance(60_000)
    const connections = await kit.app.call<{ id: string }[]>('GET', `${kit.base}/connections?groupRef=${group}`)
    const path = `${kit.base}/connections/${connections.body[0]?.id}`
    const wrong = { updateMask: ['apiKey'], connection: { apiKey: 'not the key' } }
    expect((await kit.app.call('PATCH', path, wrong)).status).toBe(200)
    const broken = await call('list_people', {})
    expect(broken).toMatchObject({ isError: true, content: { error: { code: 'reconnect_account' } } })
    await client.close()
  })
})
