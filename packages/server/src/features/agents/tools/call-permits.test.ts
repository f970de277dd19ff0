import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { startToolsKit, type ToolsKit } from '../../../testkit/tools-kit.ts'
import { type CallPermits, createCallPermits } from './call-permits.ts'

let kit: ToolsKit
let installationId: string
/** Each test has a minute of its own. */
let now = new Date('2026-03-01T10:00:20Z')
beforeAll(async () => {
  kit = await startToolsKit()
  await kit.group()
  const { rows } = await sql<{ id: string }>`
    select id from installations where project_id = ${kit.app.projectId}`.execute(kit.app.db.sql)
  installationId = rows[0]!.id
})
afterAll(() => kit?.stop())
beforeEach(() => {
  now = new Date(now.getTime() + 600_000)
})

const startNode = async () => createCallPermits({ database: await kit.app.testDatabase.open() })
const take = async (node: CallPermits, callsPerMinute: number, at = now) =>
  await node.take(kit.app.projectId, installationId, { now: at, callsPerMinute })

/** Takes permits on nodes in turn, some at once. Returns how many each node got. */
async function takeMany(nodes: CallPermits[], callsPerMinute: number, each: number): Promise<number[]> {
  const granted = nodes.map(() => 0)
  for (let round = 0; round < each / 10; round++)
    await Promise.all(
      nodes.flatMap((node, index) =>
        Array.from({ length: 10 }, async () => {
          if ((await take(node, callsPerMinute)) === undefined) granted[index] = (granted[index] ?? 0) + 1
        }),
      ),
    )
  return granted
}

test('two nodes together use a limit up, and never more', async () => {
  for (const limit of [1, 7, 60, 250]) {
    now = new Date(now.getTime() + 60_000)
    const granted = await takeMany([await startNode(), await startNode()], limit, 260)
    expect(granted[0]! + granted[1]!).toBe(limit)
  }
})

test('a node that had one call keeps no permit from the others', async () => {
  const [idle, busy] = [await startNode(), await startNode()]
  expect(await take(idle, 60)).toBeUndefined()
  expect(await takeMany([busy], 60, 100)).toEqual([59])
})

test('a node keeps at most a sixteenth of what is left', async () => {
  const [leaving, busy] = [await startNode(), await startNode()]
  expect(await takeMany([leaving], 320, 30)).toEqual([30])
  const [rest] = await takeMany([busy], 320, 400)
  expect(rest).toBeLessThanOrEqual(290)
  expect(rest).toBeGreaterThanOrEqual(290 - 320 / 16)
})

test('a busy node takes many permits with one statement, and none is asked for when a limit is reached', async () => {
  const node = await startNode()
  const query = vi.spyOn(pg.Client.prototype, 'query')
  const statements = () => query.mock.calls.filter(([text]) => JSON.stringify(text).includes('tool_windows')).length
  for (let n = 0; n < 1_000; n++) expect(await take(node, 6_000)).toBeUndefined()
  expect(statements()).toBeLessThan(25)
  await takeMany([node], 6_000, 5_100)
  const before = statements()
  expect(await take(node, 6_000)).toBe(40)
  expect(statements()).toBe(before)
  query.mockRestore()
})

test('a limit that changes applies immediately, and the next minute has all permits', async () => {
  const node = await startNode()
  expect(await takeMany([node], 100, 50)).toEqual([50])
  expect(await take(node, 50)).toBe(40)
  expect(await take(node, 200)).toBeUndefined()
  now = new Date(now.getTime() + 60_000)
  expect(await takeMany([node], 50, 60)).toEqual([50])
})

test('if the clock of a node is behind at the end of a minute, the later minute counts for both', async () => {
  const [late, early] = [await startNode(), await startNode()]
  const minute = Math.floor(now.getTime() / 60_000) * 60_000
  const [before, after] = [new Date(minute - 500), new Date(minute + 500)]
  const granted: boolean[] = []
  for (let n = 0; n < 20; n++)
    for (const [node, at] of [[early, after] as const, [late, before] as const])
      granted.push((await take(node, 10, at)) === undefined)
  expect(granted.filter(Boolean)).toHaveLength(10)
})
