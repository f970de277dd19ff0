import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startToolsKit, type ToolsKit } from '../packages/server/src/testkit/tools-kit.ts'
import { ok, route } from './events.testkit.ts'

/** What is posted when agents ask and somebody decides. */

let kit: ToolsKit
beforeAll(async () => {
  kit = await startToolsKit()
  const metadata = { url: 'https://203.0.114.5/hooks' }
  const body = { name: 'approvals', type: 'webhook', metadata }
  const destination = await ok<{ id: string }>(kit.app.call('POST', `${kit.base}/destinations`, body))
  await route(kit.app, 'approvals', ['approval.requested', 'approval.decided'], [destination])
})
afterAll(() => kit?.stop())

async function posted(groupRef: string) {
  const rows = await kit.app.db.sql
    .selectFrom('messages')
    .select(['event_type', 'payload'])
    .where('destination_name', '=', 'approvals')
    .orderBy('id')
    .execute()
  return rows
    .map(({ event_type: type, payload }) => ({ type, data: JSON.parse(payload.toString()).data }))
    .filter(({ data }) => data.groupRef === groupRef)
}

const fields = { first_name: 'Secret Name' }

it('a person who decides is requested, and the decision is posted', async () => {
  const group = await kit.group({ confirm: { update: 'approval' } })
  for (const verb of ['approve', 'refuse']) {
    const asked = await kit.call(group, 'update_people', { id: 'con_0000004', fields })
    await ok(kit.app.call('POST', `${kit.base}/approvals/${asked.content.approvalId}:${verb}`, {}))
  }
  const events = await posted(group)
  expect(events).toMatchObject([
    { type: 'approval.requested', data: { toolName: 'update_people', action: 'update' } },
    { type: 'approval.decided', data: { decision: 'approved', decider: 'person', objectName: 'contacts' } },
    { type: 'approval.requested' },
    { type: 'approval.decided', data: { decision: 'refused', decider: 'person' } },
  ])
  expect(JSON.stringify(events)).not.toContain('Secret Name')
})

it.each([
  ['accept', 'approved'],
  ['decline', 'refused'],
] as const)(
  'a user of a client who answers with %s is not requested, and the decision is posted',
  async (action, decision) => {
    const group = await kit.group({ confirm: { update: 'user' } })
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
    )
    client.setRequestHandler('elicitation/create', () => ({ action, content: { confirm: true } }))
    const transport: Parameters<Client['connect']>[0] = new StreamableHTTPClientTransport(
      new URL(`${kit.app.url}/mcp/v1${kit.base}`),
      { requestInit: { headers: await kit.signer.headers(group, 'ada') } },
    ) as never
    await client.connect(transport)
    await client.callTool({ name: 'update_people', arguments: { id: 'con_0000004', fields } })
    await client.close()
    expect(await posted(group)).toMatchObject([{ type: 'approval.decided', data: { decision, decider: 'user' } }])
  },
)
