import type { ServerResponse } from 'node:http'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { answering, type LiveKit, type StoredState, startLiveKit } from './handles.testkit.ts'
import { startTokenUser, type TokenUser } from './start-token-user.testkit.ts'

/** Renewals over real processes, and what is left when one of them dies. */

/** How often a process is killed at each point: three connections each time. */
const kills = Number(process.env['MORTISE_TEST_KILLS'] ?? 3)
/** Of the goals: whoever waits for the holder goes on within this after its death. */
const goesOnMs = 5_000

let kit: LiveKit
beforeAll(async () => {
  kit = await startLiveKit()
})
afterAll(() => kit?.stop())
beforeEach(() => {
  kit.server.tokenRequests.length = 0
})
afterEach(() => kit.server.answerTokens(undefined))

function start(): Promise<TokenUser> {
  return startTokenUser({
    databaseUrl: kit.app.testDatabase.url,
    rootKey: kit.rootKey.toString('base64'),
    providersDir: kit.providersDir,
    dataDir: kit.app.app.services.config.dataDir,
  })
}

/** An ended token, for every process: their clocks are the system's. */
async function ended(count: number): Promise<string[]> {
  const expiresAt = new Date(Date.now() - 1_000).toISOString()
  const issuedAt = new Date(Date.now() - 3_600_000).toISOString()
  const connect = async () => {
    const { accessToken, refreshToken } = await kit.server.issue()
    const tokens = {
      accessToken: { token: accessToken, issuedAt, expiresAt },
      refreshToken: { token: refreshToken },
    }
    return kit.connect({ tokens })
  }
  return Promise.all(Array.from({ length: count }, connect))
}

const about = (connectionIds: string[], times: number) => ({ projectId: kit.app.projectId, connectionIds, times })

it('a thousand simultaneous uses of an ended token over four processes are one token call', async () => {
  const users = await Promise.all(Array.from({ length: 4 }, start))
  onTestFinished(async () => {
    for (const user of users) await user[Symbol.asyncDispose]()
  })
  const [id] = await ended(1)
  await Promise.all(users.map((user) => user.ask({ what: 'open', ...about([id!], 0) })))
  const used = await Promise.all(users.map((user) => user.ask({ what: 'use', ...about([id!], 250) })))
  expect(used.flatMap(({ failed }) => failed)).toEqual([])
  const tokens = new Set(used.flatMap(({ attached }) => Object.keys(attached)))
  expect(tokens.size).toBe(1)
  expect(used.flatMap(({ tookMs }) => tookMs)).toHaveLength(1_000)
  expect(kit.server.tokenRequests).toHaveLength(1)
  expect(await kit.stored(id!)).toMatchObject({ status: 'created', generation: 2 })
})

// Each kill starts a process, which on a busy machine takes seconds.
describe('a process that dies while it renews', { timeout: 60_000 + kills * 30_000 }, () => {
  interface Death {
    /** Answers when the process has come to where it is to die. */
    reached: () => Promise<unknown>
    /** Lets go of what held it there. */
    over: () => Promise<unknown>
  }

  /**
   * Three connections at once, whose holder dies where `comeTo` lets it come to, again and again with other
   * connections. Answers how those fare who wait for the same credentials, and what is stored.
   */
  async function killedAt(comeTo: () => Promise<Death>) {
    const others: string[] = []
    const stored: StoredState[] = []
    let slowestMs = 0
    for (let killed = 0; killed < kills; killed++) {
      const ids = await ended(3)
      const user = await start()
      await user.ask({ what: 'open', ...about(ids, 0) })
      const { reached, over } = await comeTo()
      const using = user.ask({ what: 'use', ...about(ids, 1) })
      using.catch(() => undefined)
      await reached()
      // Others wait for the same credential already.
      const waiting = Promise.allSettled(ids.map(async (id) => (await kit.open(id)).authenticate()))
      const began = performance.now()
      await user.kill()
      await over()
      others.push(...(await waiting).map(({ status }) => status))
      slowestMs = Math.max(slowestMs, performance.now() - began)
      stored.push(...(await Promise.all(ids.map(kit.stored))))
    }
    return { others, stored, slowestMs }
  }

  async function session() {
    const client = new pg.Client(kit.app.testDatabase.url)
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }

  /** Backends of this database that wait for a lock. */
  async function waitingFor(client: pg.Client): Promise<number> {
    const { rows } = await client.query(
      `select from pg_locks join pg_stat_activity a using (pid) where not granted and a.datname = current_database()`,
    )
    return rows.length
  }

  const every = <T>(value: T): T[] => Array.from({ length: kills * 3 }, () => value)

  it('before it has asked leaves the tokens as they were: another one renews them', async ({ annotate }) => {
    const client = await session()
    const { others, stored, slowestMs } = await killedAt(async () => {
      await client.query('begin')
      // Read between the lock of the credential and the request.
      await client.query('lock table mortise.provider_apps in access exclusive mode')
      return {
        reached: () => expect.poll(() => waitingFor(client)).toBe(3),
        over: () => client.query('rollback'),
      }
    })
    expect(others).toEqual(every('fulfilled'))
    expect(stored).toEqual(every(expect.objectContaining({ status: 'created', generation: 2, refused: null })))
    expect(kit.server.tokenRequests).toHaveLength(kills * 3)
    expect(slowestMs).toBeLessThan(goesOnMs)
    await annotate(`${kills} kills; the others went on within ${slowestMs.toFixed(0)} ms`)
  })

  it('while it asks leaves another one to ask again', async ({ annotate }) => {
    let asked = 0
    const { others, stored, slowestMs } = await killedAt(async () => {
      const held: ServerResponse[] = []
      kit.server.answerTokens((_, response) => void held.push(response))
      return {
        reached: async () => {
          await expect.poll(() => held.length).toBe(3)
          asked += held.length
          // Those are never answered; whoever asks next, is.
          kit.server.answerTokens(undefined)
        },
        over: async () => undefined,
      }
    })
    expect(others).toEqual(every('fulfilled'))
    expect(stored).toEqual(every(expect.objectContaining({ status: 'created', generation: 2, refused: null })))
    expect(asked).toBe(kills * 3)
    expect(slowestMs).toBeLessThan(goesOnMs)
    await annotate(`${kills} kills; the others went on within ${slowestMs.toFixed(0)} ms`)
  })

  it('between the answer and the commit has lost the tokens: the connection is bad, after one more call', async ({
    annotate,
  }) => {
    const client = await session()
    await client.query(`
      create function mortise.wait_here() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock_shared(4711); return new; end $$;
      create trigger wait_here before update of encrypted on mortise.connection_credentials
        for each row execute function mortise.wait_here()`)
    const { others, stored, slowestMs } = await killedAt(async () => {
      await client.query('select pg_advisory_lock(4711)')
      return {
        reached: () => expect.poll(() => waitingFor(client)).toBe(3),
        over: () => client.query('select pg_advisory_unlock(4711)'),
      }
    })
    expect(others).toEqual(every('rejected'))
    expect(stored).toEqual(
      every(expect.objectContaining({ status: 'bad_credentials', generation: 1, refused: 'invalid_grant' })),
    )
    // Each was had once by the one that died, and refused once.
    expect(kit.server.tokenRequests).toHaveLength(kills * 3 * 2)
    expect(slowestMs).toBeLessThan(goesOnMs)
    await annotate(`${kills} kills; the others went on within ${slowestMs.toFixed(0)} ms`)
  })
})

it('what was answered long after is not asked for by those who wait', async () => {
  const [id] = await ended(1)
  const waiting: ServerResponse[] = []
  kit.server.answerTokens((_, response) => void waiting.push(response))
  const node = await kit.node()
  const asked = [await kit.open(id!), await kit.open(id!, node)].map((handle) => handle.authenticate())
  await expect.poll(() => waiting.length).toBe(1)
  answering(200, { access_token: 'late', token_type: 'Bearer', expires_in: 3_600 })(undefined, waiting[0]!)
  for (const one of await Promise.all(asked)) expect(one.headers['authorization']).toBe('Bearer late')
  expect(waiting).toHaveLength(1)
})
