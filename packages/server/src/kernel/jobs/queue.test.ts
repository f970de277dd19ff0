import { once } from 'node:events'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { PgBoss } from 'pg-boss'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../testkit/test-database.ts'
import { type Database, newId, type Tables } from '../db/index.ts'
import { PubSub } from '../pubsub/index.ts'
import { createLogger, createMetrics } from '../telemetry/index.ts'
import { type Job, JobQueue, type JobRun, job, jobReference, Permanent, Transient } from './index.ts'
import type { JobDeclaration } from './job.ts'
import { findWaitingQueues } from './waiting-queues.ts'

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = testDatabase.database
})
afterAll(() => testDatabase.drop())

interface Data {
  n: number
}
type Run = JobRun<Data>

let names = 0
/** A job of the test's own, in a queue of its own. */
function declare(
  run: (run: Run) => Promise<void>,
  more: Partial<JobDeclaration<Data, unknown>> = {},
): Job<Data, unknown> {
  return job(jobReference<Data>(`test.${++names}`), {
    policy: 'standard',
    concurrency: 4,
    expireInSeconds: 60,
    retryLimit: 3,
    retryDelaySeconds: 0,
    run,
    ...more,
  })
}

const log = createLogger({ level: 'silent' })

/** A node: a queue that works on the jobs, with its own log lines. */
async function node(jobs: Job<Data, unknown>[], on = database) {
  const lines: string[] = []
  const services = {
    log: createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } }),
    metrics: createMetrics(),
  }
  const pubsub = new PubSub({ database: on, newId, ...services })
  const queue = new JobQueue({ systemPool: on.systemPool, pubsub, ...services })
  onTestFinished(async () => {
    await queue.stop()
    await pubsub.close()
  })
  await queue.start(jobs as Job<never, unknown>[])
  return {
    queue,
    lines,
    work: () => queue.work(jobs as Job<never, unknown>[], {}),
    enqueue: (which: Job<Data, unknown>, n: number, key?: string) =>
      database
        .forProject('0198c0de-0000-7000-8000-000000000001')
        .transaction((tx) => queue.enqueue(tx, which, { n }, key)),
  }
}

/** Resolves when it has been told `total` numbers; answers them in order. */
function tally(total: number) {
  const seen: number[] = []
  const all = Promise.withResolvers<number[]>()
  if (total === 0) all.resolve(seen)
  return {
    seen,
    all: all.promise,
    tell: (n: number) => {
      seen.push(n)
      if (seen.length === total) all.resolve(seen)
    },
  }
}

const states = async (which: Job<Data, unknown>): Promise<string[]> =>
  (
    await sql<{
      state: string
    }>`select state::text from mortise_jobs.job where name = ${which.declaration.name} order by created_on, id`.execute(
      database.system,
    )
  ).rows.map((row) => row.state)

test('a job that gives way, while all places are taken, lets others begin; some stand aside, and no more', async () => {
  const places = 2
  const released = Promise.withResolvers<void>()
  const given: boolean[] = []
  const begun: Run[] = []
  const waiting = declare(
    async (run) => {
      begun.push(run)
      await released.promise
    },
    { concurrency: places },
  )
  const { queue, work } = await node([waiting])
  await work()
  await queue.enqueue({ sql: database.system }, waiting, { n: 0 })
  await vi.waitFor(() => expect(begun).toHaveLength(1), 20_000)
  // Nobody needs its place.
  expect(begun[0]?.giveWay()).toBe(false)
  const more = Array.from({ length: 20 }, (_, n) => ({ data: { n } }))
  await queue.enqueueAll({ sql: database.system }, waiting, more)
  for (let aside = 1; aside <= 3 * places; aside++) {
    await vi.waitFor(() => expect(begun).toHaveLength(places + aside - 1), 20_000)
    given.push(begun[aside - 1]!.giveWay())
    expect(begun[aside - 1]!.giveWay()).toBe(true)
  }
  await vi.waitFor(() => expect(begun).toHaveLength(4 * places), 20_000)
  given.push(begun.at(-1)!.giveWay())
  expect(given).toEqual([...Array.from({ length: 3 * places }, () => true), false])
  released.resolve()
  await vi.waitFor(() => expect(begun).toHaveLength(21), 20_000)
})

describe('enqueueing', () => {
  test('is invisible before the transaction commits, and wakes the workers then', async () => {
    const ran = tally(1)
    const count = declare(async ({ data }) => ran.tell(data.n))
    const { queue, work } = await node([count])
    await work()
    await database.system.transaction().execute(async (tx) => {
      await queue.enqueue({ sql: tx }, count, { n: 1 })
      expect(await states(count)).toEqual([])
    })
    expect(await ran.all).toEqual([1])
  })

  test('is undone when the transaction rolls back', async () => {
    const count = declare(async () => undefined)
    const { queue } = await node([count])
    const rolledBack = database.system.transaction().execute(async (tx: Kysely<Tables>) => {
      await queue.enqueue({ sql: tx }, count, { n: 1 })
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect(await states(count)).toEqual([])
  })

  test('works for the role of one project as well as for the role of the system', async () => {
    const count = declare(async () => undefined)
    const { queue, enqueue } = await node([count])
    await enqueue(count, 1)
    await queue.enqueueAll({ sql: database.system }, count, [{ data: { n: 2 } }, { data: { n: 3 } }])
    await queue.enqueueAll({ sql: database.system }, count, [])
    expect(await states(count)).toEqual(['created', 'created', 'created'])
  })

  test('of 200 jobs, one after the other and all at once, leaves none lying', async () => {
    const ran = tally(400)
    const count = declare(async ({ data }) => ran.tell(data.n), { concurrency: 3 })
    const { queue, work, enqueue } = await node([count])
    await work()
    const start = performance.now()
    for (let n = 0; n < 200; n++) await enqueue(count, n)
    await queue.enqueueAll(
      { sql: database.system },
      count,
      Array.from({ length: 200 }, (_, n) => ({ data: { n: 200 + n } })),
    )
    expect((await ran.all).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 400 }, (_, n) => n))
    // 134 fetches that each slept until the next poll of 500 ms would take 67 seconds.
    expect(performance.now() - start).toBeLessThan(20_000)
    await vi.waitFor(async () => expect(new Set(await states(count))).toEqual(new Set(['completed'])), {
      timeout: 30_000,
    })
  })
})

describe('one look for all queues', () => {
  test('tells those with a job that is due, and no other', async () => {
    const never = async () => undefined
    const [due, later, running, empty, unasked] = [
      declare(never),
      declare(never),
      declare(never),
      declare(never),
      declare(never),
    ]
    const { enqueue } = await node([due, later, running, empty, unasked])
    await enqueue(due, 1)
    await enqueue(due, 2)
    await enqueue(later, 1)
    await enqueue(running, 1)
    await enqueue(unasked, 1)
    const change = (which: Job<Data, unknown>, to: string) =>
      sql.raw(`update mortise_jobs.job set ${to} where name = '${which.declaration.name}'`).execute(database.system)
    await change(later, `start_after = now() + interval '1 minute'`)
    await change(running, `state = 'active'`)
    const asked = [due, later, running, empty].map(({ declaration }) => declaration.name)
    expect(await findWaitingQueues(database.systemPool, asked)).toEqual([due.declaration.name])
  })

  test('finds a job that nobody was told of', async () => {
    const ran = tally(1)
    const silent = declare(async ({ data }) => ran.tell(data.n))
    const { queue, work } = await node([silent])
    await work()
    const id = '0198c0de-0000-7000-8000-0000000000aa'
    const job = {
      queue: silent.declaration.name,
      id,
      data: { n: 7 },
      key: null,
      group: null,
      startAfter: new Date(0).toISOString(),
    }
    await queue.putBack({ sql: database.system }, [job])
    expect(await ran.all).toEqual([7])
  })
})

describe('one per key', () => {
  test('a second one that waits is left out, and those of other keys are not', async () => {
    const drain = declare(async () => undefined, { policy: 'one-per-key' })
    const { enqueue, queue } = await node([drain])
    await enqueue(drain, 1, 'a')
    await enqueue(drain, 2, 'a')
    await enqueue(drain, 3, 'b')
    await queue.enqueueAll({ sql: database.system }, drain, [
      { data: { n: 4 }, key: 'a' },
      { data: { n: 5 }, key: 'c' },
      { data: { n: 6 }, key: 'c' },
    ])
    expect(await states(drain)).toEqual(['created', 'created', 'created'])
  })

  test('one that is queued while its key runs waits for it, and then runs at once', async () => {
    const begun = { 1: Promise.withResolvers<void>(), 2: Promise.withResolvers<void>() }
    const release = Promise.withResolvers<void>()
    let running = 0
    const most = { a: 0 }
    const others = tally(3)
    const drain = declare(
      async ({ data: { n } }) => {
        if (n > 2) return others.tell(n)
        most.a = Math.max(most.a, ++running)
        begun[n as 1 | 2].resolve()
        if (n === 1) await release.promise
        running -= 1
      },
      { policy: 'one-per-key' },
    )
    const { enqueue, work } = await node([drain])
    await work()
    await enqueue(drain, 1, 'a')
    await begun[1].promise
    await enqueue(drain, 2, 'a')
    // Others pass: three fetches have come and gone while the second of `a` waits.
    for (const [n, key] of [
      [3, 'b'],
      [4, 'c'],
      [5, 'b'],
    ] as const) {
      await enqueue(drain, n, key)
      await vi.waitFor(() => expect(others.seen).toContain(n), 20_000)
    }
    expect(running).toBe(1)
    release.resolve()
    await begun[2].promise
    expect(most.a).toBe(1)
  })
})

describe('a job that fails', () => {
  test('is tried again, with the same id, as often as it was declared', async () => {
    const ran = tally(3)
    const ids = new Set<string>()
    const shaky = declare(
      async ({ id }) => {
        ids.add(id)
        ran.tell(ids.size)
        throw new Transient('not yet')
      },
      { retryLimit: 2 },
    )
    const { enqueue, work } = await node([shaky])
    await work()
    await enqueue(shaky, 1)
    await ran.all
    expect(ids.size).toBe(1)
    await vi.waitFor(async () => expect(await states(shaky)).toEqual(['failed']), 20_000)
    expect(ran.seen).toHaveLength(3)
  })

  test('waits longer each time', async () => {
    const shaky = declare(() => Promise.reject(new Error('always')), { retryDelaySeconds: 60, retryLimit: 5 })
    const { enqueue, work } = await node([shaky])
    await work()
    await enqueue(shaky, 1)
    const delays: number[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const row = await vi.waitFor(async () => {
        const { rows } = await sql<{ delay: number }>`
          select extract(epoch from start_after - started_on)::int as delay from mortise_jobs.job
           where name = ${shaky.declaration.name} and state = 'retry' and retry_count = ${attempt}
             and start_after > now()`.execute(database.system)
        if (!rows[0]) throw new Error('not yet')
        return rows[0]
      }, 20_000)
      delays.push(row.delay)
      await sql`update mortise_jobs.job set start_after = now() where name = ${shaky.declaration.name}`.execute(
        database.system,
      )
    }
    // With jitter each is between half and all of 60, 120, 240 and so on.
    expect(delays[0]).toBeGreaterThanOrEqual(29)
    expect(delays[2]).toBeGreaterThan(delays[0] ?? 0)
  })

  test('for good is not tried again', async () => {
    const ran = tally(1)
    const hopeless = declare(async () => {
      ran.tell(1)
      throw new Permanent('never')
    })
    const { enqueue, work, lines } = await node([hopeless])
    await work()
    await enqueue(hopeless, 1)
    await vi.waitFor(async () => expect(await states(hopeless)).toEqual(['completed']), 20_000)
    expect(ran.seen).toEqual([1])
    expect(lines.join('')).toContain('never')
  })

  test('does not disturb the others', async () => {
    const ran = tally(20)
    const mixed = declare(
      async ({ data: { n } }) => {
        if (n % 2) throw new Error('odd')
        ran.tell(n)
      },
      { retryLimit: 1 },
    )
    const { queue, work } = await node([mixed])
    await work()
    await queue.enqueueAll(
      { sql: database.system },
      mixed,
      Array.from({ length: 40 }, (_, n) => ({ data: { n } })),
    )
    await ran.all
  })

  test('when it takes longer than it may, its signal ends', async () => {
    const reason = Promise.withResolvers<unknown>()
    const slow = declare(
      async ({ signal }) => {
        await once(signal, 'abort')
        reason.resolve(signal.reason)
      },
      { expireInSeconds: 1 },
    )
    const { enqueue, work } = await node([slow])
    await work()
    await enqueue(slow, 1)
    expect(String(await reason.promise)).toContain('took too long')
  })
})

describe('a process that dies', () => {
  /** Fetches as a process that will never be heard of again. */
  async function fetchAndDie(which: Job<Data, unknown>): Promise<string[]> {
    const dead = new PgBoss({
      db: { executeSql: (text: string, values?: unknown[]) => database.systemPool.query(text, values) },
      schema: 'mortise_jobs',
      createSchema: false,
      schedule: false,
      supervise: false,
      migrate: false,
    })
    await dead.start()
    const fetched = await dead.fetch(which.declaration.name, { batchSize: 10 })
    await dead.stop({ graceful: false, close: false })
    return fetched.map(({ id }) => id)
  }

  test('leaves its runs to the others once its heartbeat has stopped', async () => {
    const ran = tally(1)
    const count = declare(async ({ data }) => ran.tell(data.n), { heartbeatSeconds: 10, policy: 'one-per-key' })
    const { enqueue, work } = await node([count])
    await enqueue(count, 7, 'a')
    expect(await fetchAndDie(count)).toHaveLength(1)
    expect(await states(count)).toEqual(['active'])
    await work()
    await sql`update mortise_jobs.job set heartbeat_on = now() - interval '11 seconds' where name = ${count.declaration.name}`.execute(
      database.system,
    )
    expect(await ran.all).toEqual([7])
  })

  test('but a run that is alive is left where it is', async () => {
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    let runs = 0
    const long = declare(
      async () => {
        runs += 1
        begun.resolve()
        await release.promise
      },
      { heartbeatSeconds: 10 },
    )
    const { enqueue, work } = await node([long])
    const other = await node([long])
    await work()
    await other.work()
    await enqueue(long, 1)
    await begun.promise
    const heartbeat = async () =>
      (
        await sql<{ age: number }>`select extract(epoch from now() - heartbeat_on) as age from mortise_jobs.job
          where name = ${long.declaration.name}`.execute(database.system)
      ).rows[0]?.age
    // The heartbeat is renewed: set back by 8 seconds, it is young again before the 10 are over.
    await sql`update mortise_jobs.job set heartbeat_on = now() - interval '6 seconds' where name = ${long.declaration.name}`.execute(
      database.system,
    )
    await vi.waitFor(async () => expect(Number(await heartbeat())).toBeLessThan(3), { timeout: 30_000, interval: 100 })
    release.resolve()
    await vi.waitFor(async () => expect(await states(long)).toEqual(['completed']), 20_000)
    expect(runs).toBe(1)
  })
})

describe('stopping', () => {
  test('tells what runs to end, waits for it, and takes nothing more', async () => {
    const begun = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const told = Promise.withResolvers<void>()
    let ended = false
    const long = declare(
      async ({ signal, data }) => {
        if (data.n > 1) throw new Error('taken after the stop')
        begun.resolve()
        await once(signal, 'abort')
        told.resolve()
        await release.promise
        ended = true
      },
      { concurrency: 1 },
    )
    const { enqueue, work, queue } = await node([long])
    await work()
    await enqueue(long, 1)
    await begun.promise
    await enqueue(long, 2)
    const stopped = queue.stop().then(() => ended)
    await told.promise
    release.resolve()
    expect(await stopped).toBe(true)
    expect(await states(long)).toEqual(['completed', 'created'])
  })

  test('what ended with an error because of it is done by the next process', async () => {
    const begun = Promise.withResolvers<void>()
    const ran = tally(1)
    let first = true
    const long = declare(async ({ signal, data }) => {
      if (!first) return ran.tell(data.n)
      first = false
      begun.resolve()
      await once(signal, 'abort')
      throw signal.reason
    })
    const one = await node([long])
    await one.work()
    await one.enqueue(long, 5)
    await begun.promise
    await one.queue.stop()
    const next = await node([long])
    await next.work()
    expect(await ran.all).toEqual([5])
  })

  test('a queue that never worked stops as well', async () => {
    const { queue } = await node([])
    await queue.stop()
  })
})

describe('a database that throws everybody out', () => {
  test('loses nothing, and is listened to again', async () => {
    const own = await createTestDatabase()
    try {
      const ran = tally(60)
      const late = Promise.withResolvers<void>()
      const count = declare(
        async ({ data }) => {
          if (data.n === 1000) late.resolve()
          else ran.tell(data.n)
        },
        { concurrency: 2, retryLimit: 10 },
      )
      const { queue, work, lines } = await node([count], own.database)
      await work()
      await queue.enqueueAll(
        { sql: own.database.system },
        count,
        Array.from({ length: 60 }, (_, n) => ({ data: { n } })),
      )
      const owner = new pg.Client(own.url)
      await owner.connect()
      let thrownOut = 0
      for (let times = 0; times < 3; times++) {
        const { rows } = await owner.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
        )
        thrownOut += rows.length
      }
      expect(thrownOut).toBeGreaterThan(2)
      // At least once: a run whose completion was cut off comes again.
      await vi.waitFor(() => expect(new Set(ran.seen).size).toBe(60), { timeout: 25_000 })
      const listeners = async () =>
        (await owner.query(`select from pg_stat_activity where datname = current_database() and query like 'listen %'`))
          .rows.length
      await vi.waitFor(async () => expect(await listeners()).toBe(1), { timeout: 30_000 })
      await queue.enqueue({ sql: own.database.system }, count, { n: 1000 })
      await late.promise
      expect(lines.join('')).toContain('polling')
      await queue.stop()
      await vi.waitFor(async () => expect(await listeners()).toBe(0))
      await owner.end()
    } finally {
      await own.drop()
    }
  })
})

describe('starting', () => {
  const settingsOf = async (name: string) =>
    (
      await sql<
        Record<string, unknown>
      >`select policy, expire_seconds, retry_limit, retry_delay, retry_backoff, heartbeat_seconds
        from mortise_jobs.queue where name = ${name}`.execute(database.system)
    ).rows[0]

  test('brings the settings of a queue up to date', async () => {
    const run = async () => undefined
    const before = declare(run, { heartbeatSeconds: 30 })
    const { name } = before.declaration
    await node([before])
    expect(await settingsOf(name)).toMatchObject({
      expire_seconds: 60,
      retry_limit: 3,
      retry_backoff: false,
      heartbeat_seconds: 30,
    })
    await node([declare(run, { name, expireInSeconds: 90, retryLimit: 7, retryDelaySeconds: 5, heartbeatSeconds: 12 })])
    expect(await settingsOf(name)).toMatchObject({
      expire_seconds: 90,
      retry_limit: 7,
      retry_delay: 5,
      retry_backoff: true,
      heartbeat_seconds: 12,
    })
    await node([declare(run, { name })])
    expect(await settingsOf(name)).toMatchObject({ retry_delay: 0, retry_backoff: false, heartbeat_seconds: null })
  })

  test('cannot change the policy of a queue, and says so', async () => {
    const before = declare(async () => undefined)
    await node([before])
    const after = declare(async () => undefined, { name: before.declaration.name, policy: 'one-per-key' })
    await expect(node([after])).rejects.toThrow(`The queue ${before.declaration.name} is standard`)
  })

  test('may be done by several nodes at once', async () => {
    const jobs = [declare(async () => undefined), declare(async () => undefined, { policy: 'one-per-key' })]
    await Promise.all([node(jobs), node(jobs), node(jobs)])
    for (const { declaration } of jobs) expect(await settingsOf(declaration.name)).toBeDefined()
  })

  test('check answers while the queue does', async () => {
    const { queue } = await node([])
    await queue.check()
    const nowhere = new pg.Pool({ host: '127.0.0.1', port: 1 })
    const away = new JobQueue({ systemPool: nowhere, log, metrics: createMetrics() })
    await expect(away.check()).rejects.toThrow()
  })
})
