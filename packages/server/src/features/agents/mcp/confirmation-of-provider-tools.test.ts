import { afterAll, beforeAll, expect, test } from 'vitest'
import { type McpKit, startMcpKit } from '../../../testkit/mcp-kit.ts'
import { createAsker } from './confirmation.testkit.ts'

let kit: McpKit
beforeAll(async () => {
  kit = await startMcpKit()
})
afterAll(() => kit?.stop())

test('the user of an MCP client confirms a call of a provider’s tool, which then runs once', async () => {
  const group = await kit.group({ add_note: { confirm: 'user' } })
  const [tool] = await kit.tools(group)
  expect(tool).toMatchObject({ needsApproval: true, description: expect.stringContaining('The user confirms') })
  const { call } = await createAsker(kit, group)
  const title = 'by the “user”\nid: 7 \u202e'
  const args = { title }
  const { result } = await call('notes__add_note', args)
  expect(result?.inputRequests?.confirm.params.message).toBe(
    'Call the tool notes__add_note in notes (sampleMcp)? It may change the account.\ntitle: by the user id: 7',
  )
  const noted = () => kit.mcp.notes.filter((note) => note.title === title)
  expect(noted()).toHaveLength(0)
  const yes = { confirm: { action: 'accept', content: { confirm: true } } }
  const retry = { inputResponses: yes, requestState: result?.requestState }
  for (const _ of [1, 2]) expect((await call('notes__add_note', args, retry)).result).toMatchObject({ isError: false })
  expect(noted()).toHaveLength(1)
})
