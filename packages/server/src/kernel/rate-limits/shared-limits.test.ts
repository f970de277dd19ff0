import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../testkit/test-app.ts'
import { newId } from '../db/index.ts'
import { JointRateLimiter, SharedLimits } from './index.ts'

/** Milliseconds, for a busy machine. */
const patience = { timeout: 20_000 }
let app: TestApp
const nodes: SharedLimits[] = []
beforeAll(async () => {
  app = await startTestApp({ env: { MORTISE_ROLES: 'api' } })
})
afterEach(async () => {
  await Promise.all(nodes.splice(0).map((node) => node.stop()))
})
afterAll(() => app?.stop())

function startNode(options: { leaseSeconds?: number; idleMs?: number } = {}): SharedLimits {
  const { database, log } = app.app.services
  const node = new SharedLimits({ database, newId, log, renewEveryMs: 100, ...options })
  nodes.push(node)
  return node
}

describe('how many at once', () => {
  it('is the whole for a node alone, and no more', async () => {
    const limit = startNode().concurrency(app.projectId, newId(), 5)
    const admitted = await Promise.all(Array.from({ length: 5 }, () => limit.acquire(20_000)))
    expect(admitted).toEqual([true, true, true, true, true])
    expect(limit.tryAcquire()).toBe(false)
    const next = limit.acquire(20_000)
    limit.release()
    expect(await next).toBe(true)
  })

  it('is divided by what nodes want, and one node that needs all of it keeps none from working', async () => {
    const name = newId()
    const running = { one: 0, two: 0 }
    const one = startNode().concurrency(app.projectId, name, 8)
    for (let n = 0; n < 8; n++) void one.acquire(60_000).then(() => running.one++)
    await expect.poll(() => running.one, patience).toBe(8)
    // Not before: whichever node asks first has the whole.
    const two = startNode().concurrency(app.projectId, name, 8)
    for (let n = 0; n < 8; n++) void two.acquire(60_000).then(() => running.two++)
    await expect.poll(() => running.two, patience).toBe(1)
    for (let n = 0; n < 6; n++) one.release()
    await expect.poll(() => running.two, patience).toBeGreaterThanOrEqual(4)
    // What the other has in use stays its own.
    expect(running.two).toBeLessThanOrEqual(6)
  })

  it('refuses whoever waits too long, too many who wait, and who has left', async () => {
    const limit = startNode().concurrency(app.projectId, newId(), 1)
    expect(await limit.acquire(20_000)).toBe(true)
    expect(await limit.acquire(1)).toBe(false)
    const leaving = new AbortController()
    const waiting = limit.acquire(60_000, leaving.signal)
    leaving.abort()
    expect(await waiting).toBe(false)
    const queue = Array.from({ length: 10 }, () => limit.acquire(60_000))
    expect(await limit.acquire(60_000)).toBe(false)
    for (const turn of queue) {
      limit.release()
      expect(await turn).toBe(true)
    }
  })
})

describe('how many in a time', () => {
  it('is kept by all nodes together, and a node that is gone leaves its share', async () => {
    const name = newId()
    const first = startNode()
    const one = first.rateLimiter(app.projectId, name, 10, 3_600)
    expect(await one.take(20_000)).toBe(true)
    expect(await one.take(1)).toBe(false)
    const two = startNode().rateLimiter(app.projectId, name, 10, 3_600)
    // The first node held all of it until it gave a part back.
    expect(await two.take(20_000)).toBe(true)
    expect(await two.take(1)).toBe(false)
    const shares = async () =>
      (await app.db.sql.selectFrom('limit_shares').select('share').where('name', '=', name).execute()).map(
        ({ share }) => share,
      )
    const sum = (await shares()).reduce((total, share) => total + share, 0)
    expect(sum).toBeLessThanOrEqual(10)
    await first.stop()
    await expect.poll(shares, patience).toEqual([10])
  })

  it('ends with the lease of a node that died', async () => {
    const name = newId()
    const { database } = app.app.services
    await database.system
      .insertInto('limit_shares')
      .values({
        project_id: app.projectId,
        name,
        node: newId(),
        share: 10,
        wanted: 1,
        until: new Date(Date.now() + 2_000),
      })
      .execute()
    const limit = startNode().rateLimiter(app.projectId, name, 10, 10)
    expect(await limit.take(20_000)).toBe(true)
  })

  it('lets a tenth go at once after a rest, and spreads the others', async () => {
    const limit = startNode().rateLimiter(app.projectId, newId(), 40, 2)
    expect(await limit.take(20_000)).toBe(true)
    await expect.poll(() => limit.waitMs(), patience).toBe(0)
    // Until as many would have had their turns.
    for (let turn = 0; turn < 6; turn++) await limit.take(20_000)
    const rested = performance.now() + 6 * limit.intervalMs
    await expect.poll(() => performance.now() >= rested, patience).toBe(true)
    const now = await Promise.all(Array.from({ length: 12 }, () => limit.take(0)))
    // One more than the tenth: it is due by itself.
    expect(now.filter(Boolean).length).toBe(5)
  })

  it('holds in every period, whenever it begins, while shares move between nodes', async () => {
    const name = newId()
    const [requests, seconds] = [20, 1]
    const taken: number[] = []
    async function useUp(node: SharedLimits, count: number) {
      const turn = async () => {
        expect(await node.rateLimiter(app.projectId, name, requests, seconds).take(60_000)).toBe(true)
        taken.push(performance.now())
      }
      await Promise.all(Array.from({ length: count }, turn))
    }
    const first = useUp(startNode(), 40)
    await expect.poll(() => taken.length, patience).toBeGreaterThan(10)
    // Whose turns were given for later gives them up to the newcomer.
    await Promise.all([first, useUp(startNode(), 20)])
    taken.sort((one, two) => one - two)
    const most = Math.max(...taken.map((begin) => taken.filter((at) => at >= begin && at < begin + 1_000).length))
    expect(taken).toHaveLength(60)
    expect(most).toBeLessThanOrEqual(requests)
  })

  it('gives those who sit and wait every second turn at least, and one who leaves takes none', async () => {
    const limit = startNode().rateLimiter(app.projectId, newId(), 9, 1)
    const order: string[] = []
    const wait = (who: string, isBackground: boolean, signal?: AbortSignal) =>
      limit.take(60_000, { isBackground, signal }).then((taken) => taken && order.push(who))
    const leaving = new AbortController()
    const all = [
      ...Array.from({ length: 4 }, () => wait('background', true)),
      wait('left', true, leaving.signal),
      ...Array.from({ length: 2 }, () => wait('interactive', false)),
    ]
    leaving.abort()
    await Promise.all(all)
    expect(order).toEqual(['interactive', 'background', 'interactive', 'background', 'background', 'background'])
  })
})

describe('how many in a long time', () => {
  it('is a tenth at once, too, where nobody has used any since the node began', async () => {
    const node = startNode()
    const began = performance.now()
    await expect.poll(() => performance.now() >= began + 1_000, patience).toBe(true)
    const limit = node.rateLimiter(app.projectId, newId(), 40, 2)
    expect(await limit.take(20_000)).toBe(true)
    const now = await Promise.all(Array.from({ length: 12 }, () => limit.take(0)))
    // The first was due by itself.
    expect(now.filter(Boolean).length).toBe(4)
  })

  it('is not forgotten before it has rested', async () => {
    const node = startNode({ idleMs: 0 })
    const name = newId()
    const slow = node.rateLimiter(app.projectId, name, 1, 3_600)
    const fast = node.rateLimiter(app.projectId, newId(), 1_000, 1)
    expect(await Promise.all([slow.take(20_000), fast.take(20_000)])).toEqual([true, true])
    await expect.poll(() => fast.isForgotten, patience).toBe(true)
    expect(slow.isForgotten).toBe(false)
    expect(await node.rateLimiter(app.projectId, name, 1, 3_600).take(1_000)).toBe(false)
  })
})

describe('several limits at once', () => {
  /** A limit by its name, asked for anew at each use. */
  const limitOf = (node: SharedLimits, capacity: number, perSeconds: number, name = newId()) => {
    return () => node.rateLimiter(app.projectId, name, capacity, perSeconds)
  }

  it('hold in every period on all nodes together, and nobody waits in a circle', async () => {
    const [writes, all] = [newId(), newId()]
    const taken: { at: number; isWrite: boolean }[] = []
    async function useUp(node: SharedLimits, count: number) {
      const total = limitOf(node, 20, 1, all)
      const joint = new JointRateLimiter([limitOf(node, 5, 1, writes), total])
      const turn = async (_: unknown, at: number) => {
        const isWrite = at % 4 === 0
        const isBackground = at % 3 === 0
        expect(await (isWrite ? joint : total()).take(60_000, { isBackground })).toBe(true)
        taken.push({ at: performance.now(), isWrite })
      }
      await Promise.all(Array.from({ length: count }, turn))
    }
    const first = useUp(startNode(), 40)
    await expect.poll(() => taken.length, patience).toBeGreaterThan(10)
    await Promise.all([first, useUp(startNode(), 20)])
    const most = (turns: typeof taken) =>
      Math.max(...turns.map(({ at: begin }) => turns.filter(({ at }) => at >= begin && at < begin + 1_000).length))
    expect(taken).toHaveLength(60)
    expect(most(taken)).toBeLessThanOrEqual(20)
    expect(most(taken.filter(({ isWrite }) => isWrite))).toBeLessThanOrEqual(5)
  }, 60_000)

  it.each(['first', 'last'])('take nothing of any where the %s has no turn in time', async (which) => {
    const node = startNode()
    const used = limitOf(node, 1, 3_600)
    const free = limitOf(node, 1, 3_600)
    expect(await used().take(20_000)).toBe(true)
    const joint = new JointRateLimiter(which === 'first' ? [used, free] : [free, used])
    expect(joint.waitMs()).toBeGreaterThan(3_000_000)
    expect(await joint.take(10_000)).toBe(false)
    expect(await free().take(20_000)).toBe(true)
  })

  it('give back what they hold when whoever waits for the rest leaves', async () => {
    const node = startNode()
    const slow = limitOf(node, 1, 10)
    const free = limitOf(node, 1, 3_600)
    expect(await slow().take(20_000)).toBe(true)
    const leaving = new AbortController()
    const waiting = new JointRateLimiter([free, slow]).take(60_000, { signal: leaving.signal })
    // Nobody else has the turn meanwhile.
    await expect.poll(() => free().before(), patience).toBe(1)
    expect(await free().take(0)).toBe(false)
    const next = free().take(2 * 3_600_000)
    leaving.abort()
    expect(await waiting).toBe(false)
    expect(await next).toBe(true)
  })

  it('tell of a wait that is as long as that of the slowest for all who come before', async () => {
    const node = startNode()
    const slow = limitOf(node, 1, 100)
    const fast = limitOf(node, 1_000, 1)
    const joint = new JointRateLimiter([fast, slow])
    expect(await joint.take(20_000)).toBe(true)
    const leaving = new AbortController()
    const waiting = Array.from({ length: 5 }, () => joint.take(3_600_000, { signal: leaving.signal }))
    await expect.poll(() => slow().before(), patience).toBe(1)
    // Its own turn, and five before it.
    expect(joint.waitMs()).toBeGreaterThan(5 * 100_000)
    leaving.abort()
    expect(await Promise.all(waiting)).toEqual([false, false, false, false, false])
  })
})

it('while the database is away a node takes the whole', async () => {
  const { log } = app.app.services
  const system = undefined as never
  const node = new SharedLimits({ database: { system }, newId, log, renewEveryMs: 100 })
  const limit = node.concurrency(app.projectId, newId(), 2)
  expect([await limit.acquire(20_000), await limit.acquire(20_000), limit.tryAcquire()]).toEqual([true, true, false])
  await node.stop()
})
