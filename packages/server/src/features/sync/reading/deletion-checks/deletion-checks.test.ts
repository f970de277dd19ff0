import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestNode } from '../../../../testkit/test-app.ts'
import { type Installed, type LibraryKit, startLibraryKit } from './library-kit.testkit.ts'

/** Deleted records that a provider does not report: found by comparing ids, on a schedule or when triggered. */

let kit: LibraryKit
beforeAll(async () => {
  kit = await startLibraryKit()
})
afterAll(() => kit?.stop())
beforeEach(() => {
  kit.library.books = Array.from({ length: 35 }, (_, at) => `b${at}`)
  kit.library.papers = Array.from({ length: 35 }, (_, at) => `p${at}`)
  kit.library.hidden.clear()
  kit.library.requests.length = 0
})

const none = (objectName: string) => `[${objectName}] No deleted records found`

function without(all: string[], ...ids: string[]): string[] {
  return all.filter((id) => !ids.includes(id))
}

/** What a check delivered, once its messages have arrived. */
async function delivered(installed: Installed, count: number): Promise<string[]> {
  return kit.until(async () => {
    const ids = kit.deletedIds(installed)
    return ids.length >= count && ids
  })
}

describe('a check for deleted records', () => {
  it('delivers what the provider no longer has, once, with its id and `deleted: true`', async () => {
    const installed = await kit.install('books')
    expect((await kit.check(installed, 'books')).result).toBe(none('books'))
    kit.library.books = without(kit.library.books, 'b7', 'b20')
    expect((await kit.check(installed, 'books')).result).toBe('[books] 2 deleted records found')
    expect((await kit.check(installed, 'books')).result).toBe(none('books'))
    expect((await delivered(installed, 2)).sort()).toEqual(['b20', 'b7'])
  })

  it('finds a record that was delivered and deleted since the last check', async () => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    kit.library.books.push('new')
    await kit.read(installed, 'books')
    kit.library.books = without(kit.library.books, 'new')
    expect((await kit.check(installed, 'books')).result).toBe('[books] 1 deleted record found')
    expect(await delivered(installed, 1)).toEqual(['new'])
  })

  it('leaves out a record that was never delivered', async () => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    kit.library.books.push('unread')
    await kit.check(installed, 'books')
    kit.library.books = without(kit.library.books, 'unread')
    expect((await kit.check(installed, 'books')).result).toBe(none('books'))
  })

  it('knows what was delivered before the object was compared, after one check', async () => {
    const installed = await kit.install('books', { object: { deletions: undefined } })
    const compared = { deletions: { schedule: '0 3 * * *' } }
    await kit.deploy(installed, 'books', compared)
    await kit.until(async () => (await kit.schedules(installed))[0]?.deletions)
    await kit.check(installed, 'books')
    kit.library.books = without(kit.library.books, 'b3')
    expect((await kit.check(installed, 'books')).result).toBe('[books] 1 deleted record found')
  })

  it('waits for the rate limit of the provider in the background, so that people come before', async () => {
    const installed = [await kit.install('books'), await kit.install('books')]
    const limiter = kit.app.app.services.limits.rateLimiter(kit.app.projectId, 'pace:app:library:all:1', 1_000, 1)
    expect(await limiter.reserve(60_000)).toBe(true)
    const checks = installed.map((one) => kit.check(one, 'books'))
    await kit.until(async () => limiter.before() + limiter.before({ isBackground: true }) === 5)
    // Before a further check: the reserved permit and both checks. Before a person: the permit and one check.
    expect([limiter.before({ isBackground: true }), limiter.before()]).toEqual([3, 2])
    limiter.letGo()
    expect((await Promise.all(checks)).map(({ result }) => result)).toEqual([none('books'), none('books')])
  })

  it('reports a record again that was delivered again and deleted again', async () => {
    const installed = await kit.install('books')
    const all = kit.library.books
    kit.library.books = without(all, 'b1')
    await kit.check(installed, 'books')
    kit.library.books = all
    await kit.read(installed, 'books')
    await kit.check(installed, 'books')
    kit.library.books = without(all, 'b1')
    await kit.check(installed, 'books')
    expect(await delivered(installed, 2)).toEqual(['b1', 'b1'])
  })

  it('lists ids by the request that the file declares for it', async () => {
    const installed = await kit.install('books')
    kit.library.requests.length = 0
    await kit.check(installed, 'books')
    const pages = [1, 2, 3, 4].map((page) => `/books?page=${page}&details=false`)
    expect(kit.library.requests).toEqual(pages)
  })

  it('runs on its schedule', async () => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    kit.library.books = without(kit.library.books, 'b2')
    await kit.makeDue(installed)
    expect(await delivered(installed, 1)).toEqual(['b2'])
  })
})

describe('a record that is missing from the list', () => {
  it('is not deleted while the provider finds it by its id', async () => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    kit.library.hidden.add('b4')
    expect((await kit.check(installed, 'books')).result).toBe(none('books'))
    kit.library.books = without(kit.library.books, 'b4')
    expect((await kit.check(installed, 'books')).result).toBe('[books] 1 deleted record found')
    expect(await delivered(installed, 1)).toEqual(['b4'])
  })

  it('is deleted if its id finds the record that it was merged into', async () => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    kit.library.books = without(kit.library.books, 'b4')
    kit.library.order('/books/b4', { body: JSON.stringify({ id: 'b1', title: 'Title b1' }) })
    expect((await kit.check(installed, 'books')).result).toBe('[books] 1 deleted record found')
    expect(await delivered(installed, 1)).toEqual(['b4'])
  })

  it('is deleted when two checks miss it, where records cannot be read by their ids', async () => {
    const installed = await kit.install('papers')
    await kit.check(installed, 'papers')
    kit.library.hidden.add('p4').add('p9')
    expect((await kit.check(installed, 'papers')).result).toBe(none('papers'))
    kit.library.hidden.delete('p9')
    expect((await kit.check(installed, 'papers')).result).toBe('[papers] 1 deleted record found')
    expect((await kit.check(installed, 'papers')).result).toBe(none('papers'))
    expect(await delivered(installed, 1)).toEqual(['p4'])
  })

  it('has not been missed twice if it was delivered between the two checks', async () => {
    const installed = await kit.install('papers')
    await kit.check(installed, 'papers')
    kit.library.hidden.add('p4')
    await kit.check(installed, 'papers')
    kit.library.hidden.clear()
    await kit.read(installed, 'papers')
    kit.library.hidden.add('p4')
    expect((await kit.check(installed, 'papers')).result).toBe(none('papers'))
  })

  it('waits for a second check when the list is empty', async () => {
    const installed = await kit.install('papers')
    await kit.check(installed, 'papers')
    const all = kit.library.papers
    kit.library.papers = []
    expect((await kit.check(installed, 'papers')).result).toBe(none('papers'))
    kit.library.papers = all
    expect((await kit.check(installed, 'papers')).result).toBe(none('papers'))
    expect(kit.deletedIds(installed)).toEqual([])
  })

  it('waits for a second check when the provider refuses to read it by its id', async () => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    kit.library.hidden.add('b5')
    kit.library.order('/books/b5', { status: 403 })
    expect((await kit.check(installed, 'books')).result).toBe(none('books'))
    expect((await kit.check(installed, 'books')).result).toBe('[books] 1 deleted record found')
  })

  it('has not been missed twice if it was delivered during the first of the two checks', async () => {
    const installed = await kit.install('papers')
    await kit.check(installed, 'papers')
    kit.library.hidden.add('p0')
    const held = kit.library.hold('/papers?page=2&details=false')
    const checking = kit.check(installed, 'papers')
    const { release } = await held
    kit.library.hidden.clear()
    await kit.read(installed, 'papers')
    release()
    expect((await checking).result).toBe(none('papers'))
    kit.library.hidden.add('p0')
    expect((await kit.check(installed, 'papers')).result).toBe(none('papers'))
  })
})

describe('an answer that is no list', () => {
  const html = { headers: { 'content-type': 'text/html' }, body: '<h1>Maintenance</h1>' }

  it('deletes nothing, and the list continues at its page', async () => {
    const installed = await kit.install('papers')
    await kit.check(installed, 'papers')
    kit.library.requests.length = 0
    kit.library.order('/papers?page=3', { status: 503 })
    expect(await kit.check(installed, 'papers')).toMatchObject({ status: 'success', result: none('papers') })
    const pages = kit.library.requests.map((url) => new URL(url, 'http://library').searchParams.get('page'))
    expect(pages).toEqual(['1', '2', '3', '3', '4'])
  })

  it.each([
    ['HTML with status 200', html],
    ['a list of the wrong type', { body: '{"items":"none"}' }],
    ['an empty body', { body: '' }],
    ['half a list', { body: '{"items":[{"id":"p0"}' }],
    ['a record without an id', { body: '{"items":[{"title":"none"}]}' }],
    ['a refusal of the credential', { status: 401 }],
  ])('%s deletes nothing', async (_, answer) => {
    const installed = await kit.install('papers')
    await kit.check(installed, 'papers')
    kit.library.order('/papers?page=2', answer)
    const first = await kit.check(installed, 'papers')
    if (first.status === 'failure') {
      expect((await kit.schedules(installed))[0]?.deletions).toMatchObject({
        lastCheckStatus: 'failure',
        error: expect.any(String),
      })
    }
    expect(kit.deletedIds(installed)).toEqual([])
  })

  it('a page that fails again and again is requested ever more rarely', async () => {
    const installed = await kit.install('papers')
    kit.library.order('/papers?page=3', { status: 503 }, 5)
    const checking = kit.check(installed, 'papers')
    const attempts = async () => {
      const { rows } = await sql<{ attempt: number }>`
        select attempt from deletion_checks where installation_id = ${installed.id}`.execute(kit.app.db.sql)
      return rows[0]?.attempt ?? 0
    }
    for (const count of [1, 2, 3]) {
      await kit.until(async () => (await attempts()) >= count)
      await kit.makeDue(installed)
    }
    await kit.until(async () => {
      await kit.makeDue(installed)
      return (await attempts()) === 0
    })
    expect((await checking).status).toBe('success')
  })

  it('a check that fails while it looks up a missing record reports it later', async () => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    kit.library.books = without(kit.library.books, 'b5')
    kit.library.order('/books/b5', { status: 401 })
    expect((await kit.check(installed, 'books')).status).toBe('failure')
    // It is compared again, and not taken for missing from the next list.
    const { rows } = await sql<{ part: string }>`
      select part from delivered_ids where installation_id = ${installed.id} order by part`.execute(kit.app.db.sql)
    expect(rows.map(({ part }) => part)).toEqual(['expected', 'known'])
    await kit.connect(installed)
    expect((await kit.check(installed, 'books')).result).toBe('[books] 1 deleted record found')
    expect(await delivered(installed, 1)).toEqual(['b5'])
  })

  it('a check that failed loses nothing of what was delivered', async () => {
    const installed = await kit.install('books')
    kit.library.order('/books?page=2&details=false', { status: 400 })
    expect((await kit.check(installed, 'books')).status).toBe('failure')
    kit.library.books = without(kit.library.books, 'b11')
    kit.library.order('/books/b11', { status: 409 })
    expect((await kit.check(installed, 'books')).result).toBe(none('books'))
    expect((await kit.check(installed, 'books')).result).toBe('[books] 1 deleted record found')
  })
})

describe('a process that stops in the middle of a list', () => {
  it('leaves the check to another one, which ends it', async () => {
    const nodes = await startLibraryKit({ MORTISE_ROLES: 'api' })
    const worker = () =>
      startTestNode(nodes.app, { MORTISE_ROLES: 'worker', MORTISE_PROVIDERS_DIR: nodes.library.folder })
    const first = await worker()
    nodes.library.books = Array.from({ length: 35 }, (_, at) => `b${at}`)
    const installed = await nodes.install('books')
    nodes.library.books = without(nodes.library.books, 'b30')
    const held = nodes.library.hold('/books?page=3&details=false')
    const checking = nodes.check(installed, 'books')
    await held
    await first.stop()
    const second = await worker()
    expect((await checking).result).toBe('[books] 1 deleted record found')
    await second.stop()
    await nodes.stop()
  })
})

describe('checks and their installation', () => {
  it('show in its schedules', async () => {
    const installed = await kit.install('books')
    expect(await kit.schedules(installed)).toEqual([
      expect.objectContaining({
        objectName: 'books',
        deletions: { schedule: '0 3 * * *', nextCheckTime: expect.any(String) },
      }),
    ])
    await kit.check(installed, 'books')
    expect((await kit.schedules(installed))[0]?.deletions).toMatchObject({
      lastCheckStatus: 'success',
      lastCheckTime: expect.any(String),
    })
  })

  it('show in the schedules of an object that is read only when triggered', async () => {
    const installed = await kit.install('books', { object: { schedule: undefined } })
    const [schedule] = await kit.schedules(installed)
    expect(schedule).toMatchObject({ objectName: 'books', deletions: { schedule: '0 3 * * *' } })
    expect(schedule).not.toHaveProperty('schedule')
  })

  it.each([
    ['a config of its own', { deletions: { schedule: '0 5 * * 1' } }, '0 5 * * 1'],
    ['a config without deletions', { deletions: { enabled: 'never' } }, undefined],
  ])('follow %s', async (_, config, schedule) => {
    const installed = await kit.install('books', { config })
    expect((await kit.schedules(installed))[0]?.deletions?.['schedule']).toBe(schedule)
  })

  it('end with the key in the manifest, and the stored ids are deleted', async () => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    expect(await kit.storedIds(installed)).toBeGreaterThan(0)
    const held = kit.library.hold('/books?page=2&details=false')
    const checking = kit.check(installed, 'books')
    const { release } = await held
    await kit.deploy(installed, 'books', {})
    expect(await checking).toMatchObject({
      status: 'failure',
      result: 'The object is no longer compared with the provider.',
    })
    release()
    expect(await kit.storedIds(installed)).toBe(0)
  })

  it('do not run on schedule while reads are paused, but when triggered', async () => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    await kit.pause(installed)
    expect((await kit.schedules(installed))[0]?.deletions).not.toHaveProperty('nextCheckTime')
    kit.library.requests.length = 0
    await kit.makeDue(installed)
    await kit.until(() => kit.waits(installed))
    expect(kit.library.requests).toEqual([])
    // As triggered reads do.
    expect((await kit.check(installed, 'books')).status).toBe('success')
  })
})
