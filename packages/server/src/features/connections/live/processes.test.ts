import type { ServerResponse } from 'node:http'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { answering, type LiveKit, startLiveKit } from './live.testkit.ts'
import { startTokenUser, type TokenUser } from './start-token-user.testkit.ts'

/** Renewals over real processes, and what is left when one of them dies (R10 and R11 of the goals, in small). */

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

describe('a process that dies while it renews', () => {
  /** Three connections at once; their holder dies at `point`. Answers how the others fare. */
  async function killedAt(
    point: (ids: string[]) => Promise<{ reached: () => Promise<unknown>; over: () => Promise<void> }>,
  ) {
    const ids = await ended(3)
    const user = await start()
    await user.ask({ what: 'open', ...about(ids, 0) })
    const { reached, over } = await point(ids)
    const using = user.ask({ what: 'use', ...about(ids, 1) })
    using.catch(() => undefined)
    await reached()
    // Others wait for the same credential already.
    const waiting = Promise.allSettled(ids.map(async (id) => (await kit.open(id)).authenticate()))
    await user.kill()
    await over()
    const others = (await waiting).map(({ status }) => status)
    return { ids, others, stored: await Promise.all(ids.map(kit.stored)) }
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

  it('before it has asked leaves the tokens as they were: another one renews them', async () => {
    const { others, stored } = await killedAt(async () => {
      const client = await session()
      await client.query('begin')
      // Read between the lock of the credential and the request.
      await client.query('lock table mortise.provider_apps in access exclusive mode')
      return {
        reached: () => expect.poll(() => waitingFor(client)).toBe(3),
        over: async () => void (await client.query('rollback')),
      }
    })
    expect(others).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    for (const state of stored) expect(state).toMatchObject({ status: 'created', generation: 2, refused: null })
    expect(kit.server.tokenRequests).toHaveLength(3)
  })

  it('while it asks leaves another one to ask again', async () => {
    const held: ServerResponse[] = []
    const { others, stored } = await killedAt(async () => {
      kit.server.answerTokens((_, response) => void held.push(response))
      return {
        reached: async () => {
          await expect.poll(() => held.length).toBe(3)
          // Those are never answered; whoever asks next, is.
          kit.server.answerTokens(undefined)
        },
        over: async () => undefined,
      }
    })
    expect(others).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    for (const state of stored) expect(state).toMatchObject({ status: 'created', generation: 2, refused: null })
  })

  it('between the answer and the commit has lost the tokens: the connection is bad, after one more call', async () => {
    const client = await session()
    const { others, stored } = await killedAt(async () => {
      await client.query(`
        create function mortise.wait_here() returns trigger language plpgsql as
          $$ begin perform pg_advisory_xact_lock_shared(4711); return new; end $$;
        create trigger wait_here before update of sealed on mortise.connection_credentials
          for each row execute function mortise.wait_here();
        select pg_advisory_lock(4711)`)
      return {
        reached: () => expect.poll(() => waitingFor(client)).toBe(3),
        over: async () => {
          await client.query(
            `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'token-user'`,
          )
          await client.query('select pg_advisory_unlock(4711)')
        },
      }
    })
    expect(others).toEqual(['rejected', 'rejected', 'rejected'])
    for (const state of stored)
      expect(state).toMatchObject({ status: 'bad_credentials', generation: 1, refused: 'invalid_grant' })
    // Each was had once by the one that died, and refused once.
    expect(kit.server.tokenRequests).toHaveLength(6)
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
