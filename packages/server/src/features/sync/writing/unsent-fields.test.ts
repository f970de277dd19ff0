import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startWritingKit, type WritingKit } from './writing.testkit.ts'

let kit: WritingKit
let groupRef: string

beforeAll(async () => {
  kit = await startWritingKit({ MORTISE_ROLES: 'api' })
  groupRef = (await kit.install()).groupRef
})
afterAll(() => kit?.stop())
beforeEach(() => kit.ledger.reset())

const ticket = { Subject: 'Broken', priority: 'high', address: { city: 'Rome', street: 'Via' } }
const sentence = (field: string, type = 'create', where = '') =>
  `The field ${field} is not sent${where}: the provider file does not name it for a ${type} of tickets.`
const street = "$['address']['street']"

describe('a field that the provider file does not name', () => {
  it('is named in the warnings of a write that succeeds, with the nearest name', async () => {
    const { status, body } = await kit.write({ groupRef, type: 'create', record: ticket }, 'tickets')
    expect({ status, warnings: body.warnings }).toEqual({
      status: 200,
      warnings: [
        { message: `${sentence('Subject')} Use subject.` },
        { message: sentence('priority') },
        { message: sentence(street) },
      ],
    })
    expect(kit.ledger.writes()).toMatchObject([{ body: { record: { city: 'Rome' } } }])
  })

  it('is named in the answer of an update, of a batch, of an asynchronous write and of a gathered one', async () => {
    kit.ledger.records.set('7', { id: '7' })
    const update = { groupRef, type: 'update', record: { id: '7', subject: 'Fixed', color: 'red' } }
    expect((await kit.write(update, 'tickets')).body).toMatchObject({
      result: { success: true, recordId: '7' },
      warnings: [{ message: sentence('color', 'update') }],
    })
    const batch = [{ record: { subject: 'a', color: 'red' } }, { record: { subject: 'b' } }]
    expect((await kit.write({ groupRef, type: 'create', batch }, 'tickets')).body).toMatchObject({
      successCount: 2,
      warnings: [{ message: sentence('color', 'create', ' in 1 of 2 records') }],
    })
    const later = {
      groupRef,
      type: 'create',
      mode: 'asynchronous',
      record: { subject: 'a', address: { city: 'Rome' } },
    }
    expect((await kit.write(later, 'tickets')).body, 'a single record has its city sent').not.toHaveProperty('warnings')
    const gathered = { ...later, autoBatchPolicy: { maxDelayMinutes: 1 } }
    expect((await kit.write(gathered, 'tickets')).body).toEqual({
      operationId: expect.any(String) as unknown,
      warnings: [{ message: sentence('address') }],
    })
  })

  it('is named if it is null and the file can send only a text, and refused with strict', async () => {
    kit.ledger.records.set('7', { id: '7' })
    const removal = (record: object) => ({ groupRef, type: 'update', record: { id: '7', ...record } })
    const lost = 'The field subject is not sent: the provider file cannot send null for it.'
    expect((await kit.write(removal({ subject: null, address: { city: null } }), 'tickets')).body).toMatchObject({
      result: { success: true },
      warnings: [{ message: lost }],
    })
    expect(kit.ledger.writes()).toMatchObject([{ body: { record: { city: null } } }])
    expect((await kit.write(removal({ subject: null }), 'tickets', {}, '?strict=true')).status).toBe(400)
    expect((await kit.write(removal({ address: { city: null } }), 'tickets')).body).not.toHaveProperty('warnings')
  })

  it('is named if it is null in records of a batch', async () => {
    const batch = [{ record: { subject: null } }, { record: { subject: 'b' } }, { record: { subject: null } }]
    const lost = 'The field subject is not sent in 2 of 3 records: the provider file cannot send null for it.'
    expect((await kit.write({ groupRef, type: 'create', batch }, 'tickets')).body).toMatchObject({
      successCount: 3,
      warnings: [{ message: lost }],
    })
    const strict = await kit.write<{ issues: object[] }>(
      { groupRef, type: 'create', batch },
      'tickets',
      { accept: 'application/json' },
      '?strict=true',
    )
    expect([strict.status, strict.body.issues]).toMatchObject([
      400,
      [{ name: 'batch[0].record.subject', detail: lost }],
    ])
    const whole = { groupRef, type: 'create', batch: [{ record: { phone: null } }] }
    expect((await kit.write(whole, 'contacts')).body).not.toHaveProperty('warnings')
  })

  it('is named with the refusal of a record', async () => {
    kit.ledger.once((_, response) => response.writeHead(400).end('{"error":"no"}'))
    const { status, body } = await kit.write({ groupRef, type: 'create', record: ticket }, 'tickets')
    expect([status, body.warnings?.length]).toEqual([422, 3])
  })

  it('refuses a strict write, before anything is sent', async () => {
    const json = { accept: 'application/json' }
    const refused = async (body: object) => {
      const answer = await kit.write<{ issues: object[] }>(
        { groupRef, type: 'create', ...body },
        'tickets',
        json,
        '?strict=true',
      )
      return [answer.status, answer.body.issues]
    }
    expect(await refused({ record: ticket })).toMatchObject([
      400,
      [
        { in: 'body', name: 'record.Subject', detail: sentence('Subject'), remedy: 'Use subject.' },
        { in: 'body', name: 'record.priority', detail: sentence('priority'), remedy: 'Leave it out.' },
        { in: 'body', name: `record.${street}`, detail: sentence(street), remedy: 'Leave it out.' },
      ],
    ])
    expect(await refused({ batch: [{ record: { subject: 'a' } }, { record: { color: 'red' } }] })).toMatchObject([
      400,
      [{ name: 'batch[1].record.color' }],
    ])
    expect(kit.ledger.writes()).toEqual([])
    const fitting = { groupRef, type: 'create', record: { subject: 'a', address: { city: 'Rome' } } }
    expect((await kit.write(fitting, 'tickets', {}, '?strict=true')).status).toBe(200)
  })

  it('does not exist where the file sends the record as it is', async () => {
    const record = { anything: 1 }
    const { status, body } = await kit.write({ groupRef, type: 'create', record }, 'notes', {}, '?strict=true')
    expect([status, body.warnings]).toEqual([200, undefined])
  })

  it('is counted where there are too many to list', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`field${at}`, at]))
    const { body } = await kit.write({ groupRef, type: 'create', record: { subject: 'a', ...many } }, 'tickets')
    expect(body.warnings).toHaveLength(51)
    expect(body.warnings?.at(-1)).toEqual({ message: '4950 more fields are not sent.' })
  })
})
