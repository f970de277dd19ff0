import type { Answer } from '@mortise-examples/webhook-receiver'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { newId } from '../../../kernel/db/index.ts'
import { postMessagesWith, replay } from '../messages/index.ts'
import { type DeliveryRig, startDeliveryRig } from './testing/delivery-rig.ts'
import { receivingDestinations } from './testing/receiving-destinations.ts'
import { statementsOf } from './testing/statements-of.ts'

let rig: DeliveryRig
const receiving = receivingDestinations(() => rig)
beforeAll(async () => {
  rig = await startDeliveryRig()
})
afterEach(() => receiving.close())
afterAll(() => rig?.app.stop())

interface Problem {
  issues: { name: string; detail: string }[]
  context: { code: string }
}
interface Group {
  groupRef: string
  destinationName: string
}

const path = '/projects/default/destinations'

/** A webhook of one customer. */
const customer = receiving.create

let made = 0
const create = (metadata: object, name = `by-group-${made++}`) =>
  rig.app.call<Problem & { id: string; name: string }>('POST', path, { name, type: 'by-group', metadata })
async function byGroup(groups: Record<string, string>, metadata: object = {}) {
  const { status, body } = await create(metadata)
  expect([status, body]).toEqual([201, expect.objectContaining({ type: 'by-group', metadata })])
  for (const [groupRef, name] of Object.entries(groups)) expect(await set(body.name, groupRef, name)).toBe(200)
  return body
}
const put = (name: string, groupRef: string, body: unknown) =>
  rig.app.call<Problem & Group>('PUT', `${path}/${name}/groups/${encodeURIComponent(groupRef)}`, body)
const set = async (name: string, groupRef: string, destination: string) =>
  (await put(name, groupRef, { destination })).status
const unset = (name: string, groupRef: string) =>
  rig.app.call<Problem>('DELETE', `${path}/${name}/groups/${encodeURIComponent(groupRef)}`)
const list = (name: string, query = '') => rig.app.call<Group[]>('GET', `${path}/${name}/groups${query}`)
const update = (name: string, updateMask: string[], destination: object) =>
  rig.app.call<Problem>('PATCH', `${path}/${name}`, { updateMask, destination })
const data = (groupRef: unknown, n = 0) => ({ action: 'read', groupRef, n })
const pending = (name: string) =>
  rig.messages(name).then((rows) => rows.filter(({ state }) => state === 'pending').length)

describe('a message', () => {
  it('goes to the destination of its group alone, signed with the secret of it, in the order of posting', async () => {
    const [acme, globex] = [await customer(), await customer()]
    const { id, name } = await byGroup({ acme: acme.name, globex: globex.name })
    await rig.post(name, data('acme', 1), data('globex', 2), data('acme', 3))
    await postMessagesWith(rig.app.db, rig.app.app.services, sql`select 1`, {
      destinationName: name,
      messages: [{ destinationName: name, kind: 'read', payload: Buffer.from(JSON.stringify(data('globex', 4))) }],
    })
    expect(await rig.deliver(id)).toBe(false)
    expect(await rig.messages(name)).toEqual([])
    for (const [{ id, receiver }, bodies] of [
      [acme, [data('acme', 1), data('acme', 3)]],
      [globex, [data('globex', 2), data('globex', 4)]],
    ] as const) {
      await rig.deliver(id)
      expect(receiver.bodies).toEqual(bodies)
      expect(receiver.counters()).toMatchObject({ verified: 2 })
    }
  })

  it('of a group without a destination, and one without a group, goes to the default', async () => {
    const [acme, other] = [await customer(), await customer()]
    const { id, name } = await byGroup({ acme: acme.name }, { default: other.name })
    const event = { notificationType: 'connection.error', data: { groupRef: 'acme' } }
    // Neither a NUL nor half of a character is in any group.
    await rig.post(name, data('acme'), event, data('globex'), {}, data(7), data('a\u0000'), data('\ud800'))
    await rig.deliver(id)
    expect([await pending(acme.name), await pending(other.name), await pending(name)]).toEqual([2, 5, 0])
  })

  it('without either becomes a dead letter that says why, and can be redriven', async () => {
    const [acme, globex] = [await customer(), await customer()]
    const { id, name } = await byGroup({ acme: acme.name })
    await rig.post(name, data('globex'), {}, data('acme'))
    await rig.deliver(id)
    expect(await rig.messages(name)).toMatchObject([
      { destinationId: id, state: 'failed', attempt: 1, leased: false },
      { state: 'failed' },
    ])
    expect((await rig.attempts(id)).map(({ error }) => error)).toEqual([
      `${name} has no destination for the group of the message, and no default.`,
      `The message belongs to no group, and ${name} has no default.`,
    ])
    const { rows } = await sql<{ due: boolean }>`
      select dead_letters_due_at is not null as due from destinations where id = ${id}`.execute(rig.app.db.sql)
    expect(rows).toEqual([{ due: true }])
    await set(name, 'globex', globex.name)
    const started = await rig.app.call<{ id: string }>('POST', '/projects/default/messages:replay', { failedOf: name })
    await replay(rig.app.app.services, {
      projectId: rig.app.projectId,
      replayId: started.body.id,
      signal: new AbortController().signal,
    })
    await rig.deliver(id)
    expect([await pending(globex.name), await pending(name)]).toEqual([1, 0])
  })

  it('waits for no other customer, whose address hangs', async () => {
    const release = Promise.withResolvers<Answer>()
    const [hangs, works] = [await customer(() => release.promise), await customer()]
    const { id, name } = await byGroup({ slow: hangs.name, fast: works.name })
    await rig.post(name, data('slow'), data('fast'))
    await rig.deliver(id)
    const hanging = rig.deliver(hangs.id)
    await vi.waitFor(() => expect(hangs.receiver.counters().requests).toBe(1))
    await rig.post(name, data('slow'), data('fast'))
    await rig.deliver(id)
    await rig.deliver(works.id)
    expect(works.receiver.bodies).toHaveLength(2)
    release.resolve({ status: 204 })
    await hanging
  })

  it('keeps its large result', async () => {
    const acme = await customer()
    const { id, name } = await byGroup({ acme: acme.name })
    const payload = Buffer.from('{"groupRef":"acme","resultInfo":{"type":"url","numRecords":1,"downloadUrl":""}}')
    await rig.post(name, { payload, result: Buffer.from('[1]') })
    await rig.deliver(id)
    await rig.deliver(acme.id)
    const [body] = acme.receiver.bodies as [{ resultInfo: { downloadUrl: string } }]
    const { pathname, search } = new URL(body.resultInfo.downloadUrl)
    expect(await (await fetch(new URL(pathname + search, rig.app.url))).json()).toEqual([1])
  })

  it('waits for the name of a destination that was deleted', async () => {
    const acme = await customer()
    const { id, name } = await byGroup({ acme: acme.name })
    await rig.app.call('DELETE', `${path}/${acme.name}`)
    await rig.post(name, data('acme'))
    await rig.deliver(id)
    expect(await rig.messages(acme.name)).toMatchObject([{ destinationId: null, state: 'pending' }])
    const again = await rig.app.call<{ id: string }>('POST', path, {
      name: acme.name,
      type: 'webhook',
      metadata: { url: acme.receiver.url },
    })
    await rig.poll()
    expect(await rig.messages(acme.name)).toMatchObject([{ destinationId: again.body.id, state: 'pending' }])
  })

  it('waits while the destination is disabled, and goes to what is set when it is enabled', async () => {
    const [acme, other] = [await customer(), await customer()]
    const { id, name } = await byGroup({ acme: acme.name })
    await rig.app.call('POST', `${path}/${name}:disable`)
    await rig.post(name, data('acme'))
    expect(await rig.deliver(id)).toBe(false)
    await set(name, 'acme', other.name)
    expect(await pending(name)).toBe(1)
    await rig.app.call('POST', `${path}/${name}:enable`)
    await rig.deliver(id)
    expect([await pending(acme.name), await pending(other.name)]).toEqual([0, 1])
  })

  it('that is posted while the destination of its group changes goes to one of the two', async () => {
    const [one, two] = [await customer(), await customer()]
    const { id, name } = await byGroup({ acme: one.name })
    for (let round = 0; round < 10; round++)
      await Promise.all([
        rig.post(name, data('acme', round)),
        set(name, 'acme', round % 2 === 0 ? two.name : one.name),
        rig.deliver(id),
        rig.deliver(id),
      ])
    while (await pending(name)) await rig.deliver(id)
    expect((await pending(one.name)) + (await pending(two.name))).toBe(10)
  })

  it('is moved with others in as many statements as one, and its destination gets a job', async () => {
    const [acme, globex] = [await customer(), await customer()]
    const { id, name } = await byGroup({ acme: acme.name, globex: globex.name })
    const statements = async (count: number) => {
      await rig.post(name, ...Array.from({ length: count }, (_, n) => data(n % 2 === 0 ? 'acme' : 'globex', n)))
      const texts = await statementsOf(() => rig.deliver(id))
      // The service does other work at the same time.
      return texts.filter((text) => /claim_due_messages|update messages|destination_groups/.test(text)).length
    }
    // Two claims, of which the second finds nothing, and the move.
    expect([await statements(2), await statements(90)]).toEqual([3, 3])
    expect([await pending(acme.name), await pending(globex.name)]).toEqual([46, 46])
    const { rows } = await sql<{ key: string }>`
      select distinct singleton_key as key from mortise_jobs.job
       where singleton_key = any(${[acme.id, globex.id]})`.execute(rig.app.app.services.database.system)
    expect(rows).toHaveLength(2)
  })
})

describe('the destinations of groups', () => {
  it('are set, replaced, listed by page and removed', async () => {
    const [one, two] = [await customer(), await customer()]
    const { name } = await byGroup({})
    for (const groupRef of ['acme', 'gl/obex ü', 'initech']) expect(await set(name, groupRef, one.id)).toBe(200)
    const times = { createTime: expect.any(String), updateTime: expect.any(String) }
    const replaced = (await put(name, 'acme', { destination: two.name })).body
    expect(replaced).toEqual({ groupRef: 'acme', destinationName: two.name, ...times })
    const page = await list(name, '?pageSize=2')
    expect(page.body).toMatchObject([
      { groupRef: 'acme', destinationName: two.name },
      { groupRef: 'gl/obex ü', destinationName: one.name },
    ])
    expect((await list(name)).body).toHaveLength(3)
    expect((await unset(name, 'gl/obex ü')).status).toBe(204)
    const again = await unset(name, 'gl/obex ü')
    expect([again.status, again.body.context.code]).toEqual([404, 'destination-group-not-found'])
    expect((await list(name)).body.map(({ groupRef }) => groupRef)).toEqual(['acme', 'initech'])
  })

  it('are refused if they do not exist, do not send, or the destination has another type', async () => {
    const acme = await customer()
    const { name } = await byGroup({})
    const other = await byGroup({})
    const fanOut = `all-${newId()}`
    await rig.app.call('POST', path, { name: fanOut, type: 'fan-out', metadata: { destinations: [acme.name] } })
    for (const [destination, detail] of [
      ['nobody', 'destination names no destination of this project.'],
      [newId(), 'destination names no destination of this project.'],
      [name, `destination names ${name}, which is a destination of type by-group.`],
      [other.id, `destination names ${other.name}, which is a destination of type by-group.`],
      [fanOut, `destination names ${fanOut}, which is a destination of type fan-out.`],
    ])
      expect(await put(name, 'acme', { destination })).toMatchObject({ status: 400, body: { issues: [{ detail }] } })
    for (const body of [undefined, {}, { destination: 7 }, { destination: '' }, { destination: 'x'.repeat(513) }, []])
      expect((await put(name, 'acme', body)).status).toBe(400)
    expect((await put(name, 'acme', { destination: 'a\u0000b' })).status).toBe(400)
    expect((await put(name, 'a\u0000b', { destination: acme.name })).status).toBeLessThan(500)
    expect((await put(name, 'x'.repeat(513), { destination: acme.name })).status).toBe(400)
    expect((await put(name, '\u{1f600}'.repeat(256), { destination: acme.name })).status).toBe(200)
    const webhook = [await put(acme.name, 'acme', { destination: acme.name }), await unset(acme.name, 'acme')]
    for (const { status, body } of webhook)
      expect([status, body.context.code]).toEqual([422, 'destination-not-by-group'])
    expect((await list(acme.name)).status).toBe(422)
    expect((await list('nobody')).status).toBe(404)
  })

  it('are deleted with their group, with the destination, and with its type', async () => {
    const acme = await customer()
    const [kept, deleted] = [await byGroup({ acme: acme.name, other: acme.name }), await byGroup({ acme: acme.name })]
    await sql`insert into groups (project_id, group_ref, group_name) values (${rig.app.projectId}, 'acme', 'Acme')`.execute(
      rig.app.db.sql,
    )
    expect((await rig.app.call('DELETE', '/projects/default/groups/acme')).status).toBe(204)
    expect((await list(kept.name)).body).toMatchObject([{ groupRef: 'other' }])
    const rowsOf = async (id: string) => {
      const { rows } = await sql`select from destination_groups where destination_id = ${id}`.execute(rig.app.db.sql)
      return rows.length
    }
    await set(deleted.name, 'acme', acme.name)
    await rig.app.call('DELETE', `${path}/${deleted.name}`)
    expect(await rowsOf(deleted.id)).toBe(0)
    const type = { type: 'webhook', metadata: { url: acme.receiver.url }, secrets: {} }
    expect((await update(kept.name, ['type', 'metadata', 'secrets'], type)).status).toBe(200)
    expect(await rowsOf(kept.id)).toBe(0)
  })

  it('of another project look like missing ones, and are not read, changed or used', async () => {
    const [acme, theirs] = [await customer(), await customer()]
    const ours = await byGroup({ acme: acme.name })
    const { id: project, apiKey } = rig.app.otherProject
    const call = <T>(method: string, below: string, body?: unknown) =>
      rig.app.call<T>(method, `/projects/${project}/destinations${below}`, body, { apiKey })
    await call('POST', '', { name: 'their-hook', type: 'webhook', metadata: { url: theirs.receiver.url } })
    const their = (await call<{ id: string }>('POST', '', { name: ours.name, type: 'by-group', metadata: {} })).body
    const shown = ({ status, body }: { status: number; body: { detail: string } }) => [status, body.detail]
    const missing = newId()
    for (const [method, below, body] of [
      ['GET', '/groups'],
      ['PUT', '/groups/acme', { destination: 'their-hook' }],
      ['DELETE', '/groups/acme'],
    ] as const) {
      const answer = shown(await call<{ detail: string }>(method, `/${ours.id}${below}`, body))
      expect(answer).toEqual(shown(await call<{ detail: string }>(method, `/${missing}${below}`, body)))
      expect(answer[0]).toBe(404)
    }
    for (const destination of [acme.id, acme.name])
      expect(await call('PUT', `/${their.id}/groups/acme`, { destination })).toMatchObject({
        status: 400,
        body: { issues: [{ detail: 'destination names no destination of this project.' }] },
      })
    expect((await call('PUT', `/${ours.name}/groups/acme`, { destination: 'their-hook' })).status).toBe(200)
    expect((await call('DELETE', `/${ours.name}/groups/acme`)).status).toBe(204)
    expect((await list(ours.name)).body).toMatchObject([{ groupRef: 'acme', destinationName: acme.name }])
    await rig.post(ours.name, data('acme'))
    await rig.deliver(ours.id)
    expect(await pending(acme.name)).toBe(1)
  })

  it('send: none can become a fan-out or by-group, by its name or its type', async () => {
    const [acme, other] = [await customer(), await customer()]
    const { name } = await byGroup({ acme: acme.name }, { default: other.name })
    const detail = (target: string) => `${target} is a destination of ${name}, so it must have a type that sends.`
    for (const target of [acme.name, other.name]) {
      const type = { type: 'by-group', metadata: {}, secrets: {} }
      const changed = await update(target, ['type', 'metadata', 'secrets'], type)
      expect([changed.status, changed.body.issues]).toMatchObject([400, [{ detail: detail(target) }]])
      await rig.app.call('DELETE', `${path}/${target}`)
      const created = await create({}, target)
      expect([created.status, created.body.issues]).toMatchObject([400, [{ detail: detail(target) }]])
    }
    // Its messages would wait for its own name.
    const renamed = await update(name, ['name'], { name: acme.name })
    expect([renamed.status, renamed.body.issues]).toMatchObject([400, [{ name: 'destination.name' }]])
  })

  it('and a change of type at the same time: one of the two is refused', async () => {
    const [acme, globex] = [await customer(), await customer()]
    const { name } = await byGroup({})
    const type = { type: 'fan-out', metadata: { destinations: [globex.name] }, secrets: {} }
    const answers = await Promise.all([
      set(name, 'acme', acme.name),
      update(acme.name, ['type', 'metadata', 'secrets'], type).then(({ status }) => status),
    ])
    expect(answers.sort()).toEqual([200, 400])
  })
})

describe('a destination by group', () => {
  it('refuses a default that is not the name of another destination that sends', async () => {
    const acme = await customer()
    const other = await byGroup({})
    for (const [value, detail] of [
      [7, 'must be the name of a destination'],
      [['x'], 'must be the name of a destination'],
      ['a b', 'must be the name of a destination'],
      ['nobody', 'names no destination of this project.'],
      [other.name, `names ${other.name}, which is a destination of type by-group.`],
      ['own', 'names the destination itself.'],
    ] as const) {
      const { status, body } = await create({ default: value }, 'own')
      expect([status, body.issues]).toMatchObject([
        400,
        [{ name: 'metadata.default', detail: expect.stringContaining(detail) }],
      ])
    }
    expect((await update(other.name, ['metadata.default'], { metadata: { default: acme.name } })).status).toBe(200)
    await rig.post(other.name, {})
    await rig.deliver(other.id)
    expect(await pending(acme.name)).toBe(1)
    expect((await update(other.name, ['metadata'], { metadata: {} })).status).toBe(200)
    await rig.post(other.name, {})
    await rig.deliver(other.id)
    expect(await pending(acme.name)).toBe(1)
  })

  it('is no destination of a fan-out, and gets what waited for its name', async () => {
    const acme = await customer()
    await rig.post('later', data('acme'), data('acme'))
    const { id, name } = (await create({}, 'later')).body
    await set(name, 'acme', acme.name)
    expect(await rig.poll()).toContain(id)
    await rig.deliver(id)
    expect(await pending(acme.name)).toBe(2)
    const listing = { name: 'listing', type: 'fan-out', metadata: { destinations: [name] } }
    const fanOut = await rig.app.call<Problem>('POST', path, listing)
    expect([fanOut.status, fanOut.body.issues]).toMatchObject([400, [{ name: 'metadata.destinations[0]' }]])
  })

  it('tests its default', async () => {
    const [acme, other] = [await customer(), await customer()]
    const without = await byGroup({ acme: acme.name })
    const withDefault = await byGroup({ acme: acme.name }, { default: other.name })
    const test = (name: string) => rig.app.call<object>('POST', `${path}/${name}:test`)
    const error = expect.stringContaining('It has no default')
    expect(await test(without.name)).toMatchObject({ status: 200, body: { delivered: false, error } })
    expect((await test(withDefault.name)).body).toMatchObject({
      delivered: true,
      destinations: [{ destinationName: other.name, delivered: true }],
    })
    expect([acme.receiver.bodies, other.receiver.bodies]).toMatchObject([[], [{ data: {} }]])
  })
})
