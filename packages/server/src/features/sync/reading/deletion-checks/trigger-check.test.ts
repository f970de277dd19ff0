import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { untilLockWait } from '../../../../testkit/lock-waits.ts'
import { lockInstallation } from '../../../integrations/installations/index.ts'
import { type LibraryKit, startLibraryKit } from './library-kit.testkit.ts'

let kit: LibraryKit
beforeAll(async () => {
  kit = await startLibraryKit()
})
afterAll(() => kit?.stop())

describe('checks for deleted records', () => {
  it.each(['paused', 'open'])('keep a trigger that comes just after the claim of a due check: %s', async (state) => {
    const installed = await kit.install('books')
    await kit.check(installed, 'books')
    if (state === 'paused') await kit.pause(installed)
    const triggered = await kit.app.db.sql.transaction().execute(async (tx) => {
      // The check that is due is claimed, and waits here to learn the state of its destination.
      await sql`lock table destinations in access exclusive mode`.execute(tx)
      await kit.makeDue(installed)
      await kit.until(() => kit.isClaimed(installed))
      return kit.trigger(installed, 'books', { deletions: true })
    })
    const { operationId } = triggered.body as { operationId: string }
    expect((await kit.ended(operationId)).status).toBe('success')
    expect(await kit.running(installed)).toEqual([])
  })

  it('begin one operation, however often they are triggered', async () => {
    const installed = await kit.install('books')
    const held = kit.library.hold('/books?page=1&details=false')
    const first = await kit.trigger(installed, 'books', { deletions: true })
    const { release } = await held
    const second = await kit.trigger(installed, 'books', { deletions: true })
    expect(second.body).toEqual(first.body)
    release()
    const { operationId } = first.body as { operationId: string }
    expect((await kit.ended(operationId)).status).toBe('success')
  })

  it('run when triggered before the job of the deploy that declares them', async () => {
    const installed = await kit.install('books')
    // As it is until that job has reached the installation.
    await sql`delete from read_states where installation_id = ${installed.id}`.execute(kit.app.db.sql)
    expect((await kit.check(installed, 'books')).status).toBe('success')
    expect(await kit.running(installed)).toEqual([])
  })

  it('are not triggered while a config is stored that ends them', async () => {
    const installed = await kit.install('books')
    const config = {
      content: { read: { objects: { books: { objectName: 'books', deletions: { enabled: 'never' } } } } },
    }
    const path = `/projects/default/integrations/${installed.name}/installations/${installed.id}?skipSampling=true`
    const update = { updateMask: ['config.content.read.objects.books'], installation: { config } }
    const waiting: Promise<{ status: number }>[] = []
    await kit.app.db.transaction(async (tx) => {
      await lockInstallation(tx, installed.id)
      waiting.push(kit.app.call('PATCH', path, update))
      await untilLockWait(kit.app.db.sql)
      waiting.push(kit.trigger(installed, 'books', { deletions: true }))
      await untilLockWait(kit.app.db.sql, 2)
    })
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 400])
    expect(await kit.running(installed)).toEqual([])
  })

  it('are not triggered for an object without them, nor with a window', async () => {
    const installed = await kit.install('books', { object: { deletions: undefined } })
    const answer = await kit.trigger(installed, 'books', { deletions: true, sinceTimestamp: '2026-01-01T00:00:00Z' })
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      issues: [
        { name: 'sinceTimestamp', detail: 'A check for deleted records looks at all records.' },
        { name: 'deletions', detail: 'Deleted records of this object are not looked for.' },
      ],
    })
  })
})
