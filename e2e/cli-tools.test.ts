import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../packages/cli/src/run.ts'
import { testTerminal } from '../packages/cli/src/testkit/test-terminal.ts'
import { startToolsKit, type ToolsKit } from '../packages/server/src/testkit/tools-kit.ts'

/** `tool` and `approval` of the command line, against the real service. */

let kit: ToolsKit
let group: string
beforeAll(async () => {
  kit = await startToolsKit()
  group = await kit.group({ confirm: { update: 'approval' } })
})
afterAll(async () => {
  kit?.app.app.http.server.closeAllConnections()
  await kit?.stop()
})

async function here(...argv: string[]) {
  const env = { MORTISE_URL: kit.app.url, MORTISE_API_KEY: kit.app.apiKey }
  const terminal = testTerminal({ env })
  return { code: await run(argv, terminal), ...terminal.output() }
}
const call = (name: string, args: object) =>
  here(
    'tool',
    'call',
    name,
    '--group',
    group,
    '--agent',
    'helper',
    '--arguments',
    JSON.stringify(args),
    '--format',
    'json',
  )

test('tools are listed for a group', async () => {
  const { code, stdout } = await here('list', 'tools', '--group', group)
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^update_people +crm +contacts +yes +yes$/m)])
  expect(await here('list', 'tools')).toMatchObject({ code: 2, stderr: expect.stringContaining('needs --group') })
})

test('a tool is called, and an error for the agent is a failure', async () => {
  const found = await call('get_people', { id: 'con_0000001' })
  expect(found.code).toBe(0)
  expect(JSON.parse(found.stdout)).toMatchObject({ content: { providerData: { record: { id: 'con_0000001' } } } })
  const wrong = await call('get_people', {})
  expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining('arguments_refused')])
  expect(await here('tool', 'call', 'get_people', '--group', group, '--arguments', '[]')).toMatchObject({ code: 2 })
  expect(await call('nothing', {})).toMatchObject({ code: 5 })
})

test('a call is approved or refused', async () => {
  const request = async (score: number) => {
    const { stdout } = await call('update_people', { id: 'con_0000002', fields: { score } })
    return JSON.parse(stdout).content.approvalId as string
  }
  const [first, second] = [await request(11), await request(12)]
  const listed = await here('list', 'approvals', '--status', 'waiting')
  expect(listed.stdout).toContain(first)
  expect((await here('get', 'approval', first)).stdout).toMatch(/score: 11/)
  const approved = await here('approval', 'approve', first, '--comment', 'Fine.', '--format', 'json')
  expect(JSON.parse(approved.stdout)).toMatchObject({ status: 'done', comment: 'Fine.' })
  expect((await here('approval', 'refuse', second)).code).toBe(0)
  expect(kit.crm.contact('con_0000002')?.score).toBe(11)
  expect((await here('approval', 'approve', second)).code).toBe(1)
})
