import { afterAll, beforeAll, expect, test } from 'vitest'
import { type McpKit, startMcpKit } from '../../../../testkit/mcp-kit.ts'

const picture = { type: 'image' as const, data: 'iVBORw0KGgo=', mimeType: 'image/png' }
let kit: McpKit
beforeAll(async () => {
  kit = await startMcpKit({
    sessions: true,
    call: (name) =>
      name === 'delete_all_notes'
        ? {
            content: [
              picture,
              { type: 'resource_link', uri: 'http://evil.example/page', name: 'page' },
              { type: 'resource', resource: { uri: 'file:///a', blob: 'AAAA', mimeType: 'application/pdf' } },
              { type: 'resource', resource: { uri: 'file:///b', text: 'hello\u0000\u{E0041}' } },
              { type: 'text', text: 'long '.repeat(20_000) },
              { type: 'text', text: 'last' },
            ],
          }
        : undefined,
  })
})
afterAll(() => kit?.stop())

test('a server with sessions gets one for each call, and its end', async () => {
  const group = await kit.group({ add_note: {} })
  expect(kit.mcp.sessions.size).toBe(0)
  kit.mcp.requests.length = 0
  await kit.tools(group)
  const handshake = ['POST initialize', 'POST notifications/initialized']
  expect(kit.mcp.requests).toEqual(['POST server/discover', ...handshake, 'POST tools/list', 'DELETE'])
  kit.mcp.requests.length = 0
  expect((await kit.call(group, 'notes__add_note', { title: 'a' })).isError).toBe(false)
  expect(kit.mcp.requests).toEqual([...handshake, 'POST tools/call', 'DELETE'])
  expect(kit.mcp.sessions.size).toBe(0)
})

test('a result of several parts is shown without binary content and hidden characters, and cut', async () => {
  const group = await kit.group({ delete_all_notes: {} }, { agent: { limits: { resultBytes: 5_000 } } })
  const { content } = await kit.call(group, 'notes__delete_all_notes')
  expect(content).toMatchObject({
    isShortened: true,
    providerData: {
      result: [
        { type: 'image', mimeType: 'image/png', note: 'Binary content is left out.' },
        { type: 'link', uri: 'http://evil.example/page', name: 'page' },
        { type: 'file', mimeType: 'application/pdf' },
        { type: 'text', text: 'hello' },
        { type: 'text', text: expect.stringMatching(/^long .*…$/) },
      ],
    },
  })
  expect(JSON.stringify(content).length).toBeLessThan(5_000)
})
