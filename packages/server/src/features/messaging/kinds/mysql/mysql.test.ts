import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import type { FieldType, OutgoingMessage } from '../kind.ts'
import { parseDatabaseUrl } from '../tables/database-url.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { type MysqlTarget, startMysqlTarget } from './conformance.testkit.ts'
import { mysql } from './index.ts'
import { hasMysqlServer } from './mysql-server.testkit.ts'
import { urlRules } from './settings.ts'

describe('the URL', () => {
  it.each([
    ['mysql://me:p%3Aw@db.example.com/app', { user: 'me', password: 'p:w', port: 3306, database: 'app', tls: true }],
    ['mariadb://me@[::1]:7000/app?ssl-mode=DISABLED', { host: '::1', port: 7000, tls: false, password: '' }],
  ])('%s is read', (url, expected) => {
    expect(parseDatabaseUrl(url, urlRules)).toMatchObject(expected)
  })

  it.each([
    'mysql:',
    'postgresql://me@db.example.com/app',
    'mysql://me@db.example.com',
    'mysql://me@db.example.com/app?ssl-mode=PREFERRED',
    'mysql://me@db.example.com/app?socketPath=/tmp',
  ])('%s is refused', (url) => {
    expect(parseDatabaseUrl(url, urlRules)).toEqual(expect.any(String))
  })
})

describe.skipIf(!(await hasMysqlServer()))('with a server', () => {
  let target: MysqlTarget
  let opened: ReturnType<typeof openForTest>
  let known: FieldType[] = []
  beforeEach(async () => {
    target = await startMysqlTarget()
    known = []
    opened = openForTest(mysql, target.settings, { fieldTypes: async () => known })
  })
  afterEach(async () => {
    await opened.close()
    await target.stop()
  })

  const message = recordMessages()
  const send = async (...batch: OutgoingMessage[]) => (await opened.send(batch)).map(({ outcome }) => outcome)
  const contacts = (columns = '*') =>
    target.query<Record<string, unknown>>(`select ${columns} from contacts order by _mortise_group, _mortise_id`)
  const types = async () => {
    const found = await target.query<{ name: string; type: string }>(
      `select column_name as name, column_type as type from information_schema.columns
        where table_schema = database() and table_name = 'contacts' and column_name not like '\\_mortise%' order by 1`,
    )
    return Object.fromEntries(found.map(({ name, type }) => [name, type]))
  }

  describe('records', () => {
    it('of several customers lie in one table, a row each, with typed columns', async () => {
      const ada = {
        id: '1',
        fields: { email: 'ada@acme.test', score: 4.5 },
        mappedFields: { vip: true },
        raw: { x: 1 },
      }
      const bob = { id: '1', fields: { email: 'bob@beta.test', tags: ['a'] } }
      expect(await send(message([ada]), message([bob], { groupRef: 'beta' }))).toEqual(['delivered', 'delivered'])
      const columns = '_mortise_group as customer, email, score, vip, tags, _mortise_raw as raw'
      expect(await contacts(columns)).toEqual([
        { customer: 'acme', email: 'ada@acme.test', score: 4.5, vip: 1, tags: null, raw: { x: 1 } },
        { customer: 'beta', email: 'bob@beta.test', score: null, vip: null, tags: ['a'], raw: null },
      ])
      expect(await types()).toMatchObject({ email: 'longtext', score: 'double', vip: 'tinyint(1)' })
    })

    it('are replaced by newer ones, whatever the order in which messages arrive', async () => {
      const [first, second, third] = [
        message([{ id: '1', fields: { email: 'old', phone: '1' } }]),
        message([{ id: '1', fields: { email: 'newer' } }]),
        message([
          { id: '1', fields: { email: 'newest' } },
          { id: '2', fields: { email: 'x' } },
        ]),
      ]
      await send(second)
      await send(first)
      expect(await contacts('email')).toEqual([{ email: 'newer' }])
      await send(third, second, third)
      expect(await contacts('email')).toEqual([{ email: 'newest' }, { email: 'x' }])
    })

    it('lose a field that the newest delivery does not have', async () => {
      await send(message([{ id: '1', fields: { email: 'a', phone: '1' } }]))
      await send(message([{ id: '1', fields: { email: 'a' } }]))
      expect(await contacts('email, phone')).toEqual([{ email: 'a', phone: null }])
    })

    it('that are deleted keep their fields and say when, and come back with a newer delivery', async () => {
      await send(message([{ id: '1', fields: { email: 'a' } }]))
      await send(message(['1', '9'].map((id) => ({ id, fields: {}, deleted: true }))))
      const shown = '_mortise_id as id, email, _mortise_deleted_at is not null as gone'
      expect(await contacts(shown)).toEqual([
        { id: '1', email: 'a', gone: 1 },
        { id: '9', email: null, gone: 1 },
      ])
      await send(message([{ id: '1', subscribeEventType: 'update', fields: { email: 'b' } }], { action: 'subscribe' }))
      expect(await contacts(shown)).toMatchObject([{ id: '1', email: 'b', gone: 0 }, { id: '9' }])
    })

    it('have ids that differ by case, spaces and length', async () => {
      const long = 'x'.repeat(600)
      const ids = ['a', 'A', 'á', 'a ', `${long}1`, `${long}2`]
      await send(message(ids.map((id) => ({ id, fields: { of: id.slice(-1) } }))))
      await send(message(ids.map((id) => ({ id, fields: { of: id.slice(-1) } }))))
      expect(await contacts('of')).toHaveLength(ids.length)
    })

    it('with names and values of any kind are stored', async () => {
      const hostile = '`; drop table contacts; -- \\'
      const fields = {
        [hostile]: "\\'; drop table contacts; --",
        nul: 'a\u0000b\\',
        half: '\ud800',
        smile: '😀',
        '😀': 1,
        'end ': 2,
        ['x'.repeat(200)]: 1,
      }
      expect(await send(message([{ id: "1'\\", fields, raw: { nul: 'a\u0000b\ud800' } }]))).toEqual(['delivered'])
      const [row = {}] = await contacts()
      expect(row).toMatchObject({ _mortise_id: "1'\\", nul: 'a\u0000b\\', half: '\ufffd', smile: '😀' })
      expect(row[hostile]).toBe(fields[hostile])
      expect(Object.values(row).filter((value) => value === 1 || value === 2)).toHaveLength(3)
    })

    it('with names that MySQL takes for the same have a column each', async () => {
      const fields = { email: 'a', Email: 'b', _Mortise_Id: 'c' }
      await send(message([{ id: '1', fields }]))
      expect(await send(message([{ id: '2', fields: { Email: 'd' } }]))).toEqual(['delivered'])
      const [first = {}, second = {}] = await contacts()
      expect([first['_mortise_id'], first['email'], second['email']]).toEqual(['1', 'a', null])
      expect(Object.values(first)).toEqual(expect.arrayContaining(['b', 'c']))
      expect(Object.values(second)).toContain('d')
    })

    it('that are large or many are stored in several statements', async () => {
      const many = Array.from({ length: 2_000 }, (_, at) => ({
        id: `${at}`,
        fields: Object.fromEntries(Array.from({ length: 20 }, (_, field) => [`f${field}`, at])),
      }))
      const [result] = await opened.send([message(many)], { timeoutMs: 30_000 })
      expect(result).toEqual({ outcome: 'delivered' })
      expect(await target.query('select count(*) as n from contacts')).toEqual([{ n: 2_000 }])
    })
  })

  describe('columns', () => {
    it('become text when a value needs it, and keep what they have', async () => {
      await send(message([{ id: '1', fields: { size: 5, open: true, note: 'x', list: [1] } }]))
      await send(message([{ id: '2', fields: { size: 'large', open: 'ajar', note: { a: 1 }, list: 'none' } }]))
      expect(await types()).toMatchObject({ size: 'longtext', open: 'longtext', note: 'longtext' })
      expect(await contacts('size, open, note, list')).toEqual([
        { size: '5', open: '1', note: 'x', list: [1] },
        { size: 'large', open: 'ajar', note: '{"a":1}', list: 'none' },
      ])
    })

    it('have the types that the provider declares, until a value does not fit', async () => {
      known = [
        { field: 'age', valueType: 'int' },
        { field: 'since', valueType: 'datetime' },
        { field: 'born', valueType: 'date' },
        { field: 'code', valueType: 'string' },
        { field: 'rate', valueType: 'int' },
        { field: 'seen', valueType: 'datetime' },
      ]
      const fields = {
        age: 5,
        since: '2026-11-26T10:00:00.5+01:00',
        born: '2026-02-28',
        code: 7,
        rate: 1.5,
        seen: 'no',
      }
      expect(await send(message([{ id: '1', fields }]))).toEqual(['delivered'])
      expect(await types()).toMatchObject({ since: 'datetime(6)', born: 'date', code: 'longtext', rate: 'double' })
      expect(await types()).toMatchObject({ age: expect.stringContaining('bigint'), seen: 'longtext' })
      const shown = 'age, cast(since as char) as since, cast(born as char) as born, code, rate, seen'
      expect(await contacts(shown)).toEqual([
        { age: 5, since: '2026-11-26 09:00:00.500000', born: '2026-02-28', code: '7', rate: 1.5, seen: 'no' },
      ])
      const later = { age: 5.5, since: 'soon', born: '2026-02-30' }
      expect(await send(message([{ id: '2', fields: later }]))).toEqual(['delivered'])
      expect(await contacts('age, since, born')).toEqual([
        { age: 5, since: '2026-11-26 09:00:00.500000', born: '2026-02-28' },
        { age: 5.5, since: 'soon', born: '2026-02-30' },
      ])
    })

    it('of a type that a user chose are converted to', async () => {
      await send(message([{ id: '1', fields: { since: '2026-11-26 10:00:00' } }]))
      await target.query("alter table contacts modify since datetime comment 'Field of Mortise: text'")
      expect(await send(message([{ id: '2', fields: { since: '2026-11-27T10:00:00Z' } }]))).toEqual(['delivered'])
      expect(await contacts('cast(since as char) as since')).toEqual([
        { since: '2026-11-26 10:00:00' },
        { since: '2026-11-27 10:00:00' },
      ])
      // The others of its batch are stored.
      const outcomes = await send(message([{ id: '3', fields: { since: 'soon' } }]), message([{ id: '4', fields: {} }]))
      expect(outcomes).toEqual(['refused', 'delivered'])
      // So are the others of its message.
      const [result] = await opened.send([
        message(['5', '6', '7'].map((id) => ({ id, fields: id === '6' ? { since: 'soon' } : {} }))),
      ])
      expect(result).toMatchObject({ outcome: 'delivered', rejected: [{ entries: [1], outcome: 'refused' }] })
      expect(await contacts('_mortise_id as id')).toEqual(['1', '2', '4', '5', '7'].map((id) => ({ id })))
    })

    it('of a user stay as they are', async () => {
      await send(message([{ id: '1', fields: { email: 'a' } }]))
      await target.query("alter table contacts add owner varchar(20) default 'me', add up longtext as (upper(email))")
      expect(await send(message([{ id: '1', fields: { email: 'b', phone: '1' } }]))).toEqual(['delivered'])
      expect(await contacts('email, owner, up, phone')).toEqual([{ email: 'b', owner: 'me', up: 'B', phone: '1' }])
    })

    it('stop where a row has no room; records are stored all the same', async () => {
      const fields = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`f${at}`, 'x'.repeat(38)]))
      expect(await send(message([{ id: '1', fields, raw: fields }]))).toEqual(['delivered'])
      expect(Object.keys(await types()).length).toBeGreaterThan(100)
      expect(await send(message([{ id: '2', fields: { ...fields, late: 1 } }]))).toEqual(['delivered'])
    })

    it('are added once by two senders at the same time', async () => {
      const other = openForTest(mysql, target.settings)
      const batches = Array.from({ length: 10 }, (_, at) => message([{ id: `${at}`, fields: { [`f${at}`]: 1 } }]))
      const outcomes = await Promise.all(
        batches.map((one, at) => (at % 2 === 0 ? opened : other).send([one]).then(([result]) => result?.outcome)),
      )
      await other.close()
      expect(new Set(outcomes)).toEqual(new Set(['delivered']))
      expect(Object.keys(await types())).toHaveLength(10)
    })
  })

  it('a unique index of a user refuses a record, and no other row changes', async () => {
    await send(message([{ id: '1', fields: { email: 'a' } }]))
    await target.query('create unique index one on contacts (email(100))')
    const [result] = await opened.send([message([{ id: '2', fields: { email: 'a' } }])])
    expect(result).toMatchObject({ outcome: 'retry', error: expect.stringContaining('unique index') })
    expect(await contacts('_mortise_id as id, email')).toEqual([{ id: '1', email: 'a' }])
  })

  it('the modes of the server change no value', async () => {
    const [mode] = await target.query<{ mode: string }>('select @@global.sql_mode as mode')
    try {
      await target.query("set global sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'")
      await send(message([{ id: '1', fields: { note: "\\'a", size: 1 } }]))
      expect(await contacts('note')).toEqual([{ note: "\\'a" }])
    } finally {
      await target.query(`set global sql_mode = '${mode?.mode}'`)
    }
  })

  it('a record that is too large for a statement fails alone', async () => {
    const [packet] = await target.query<{ bytes: number }>('select @@global.max_allowed_packet as bytes')
    try {
      await target.query('set global max_allowed_packet = 1048576')
      const large = message([{ id: '1', fields: { note: 'x'.repeat(2 ** 21) } }])
      const results = await opened.send([large, message([{ id: '2', fields: { note: 'y' } }])])
      expect(results).toMatchObject([
        { outcome: 'retry', error: expect.stringContaining('max_allowed_packet') },
        { outcome: 'delivered' },
      ])
    } finally {
      await target.query(`set global max_allowed_packet = ${packet?.bytes}`)
    }
  })

  it('what the user may not do is named', async () => {
    const [user] = await target.query<{ name: string }>('select database() as name')
    await target.query(`revoke all on ${user?.name}.* from ${user?.name}`)
    await target.query(`grant select on ${user?.name}.* to ${user?.name}`)
    const [result] = await opened.send([message([{ id: '1', fields: { email: 'a' } }])])
    expect(result).toMatchObject({ outcome: 'retry', error: expect.stringContaining('does not permit this user') })
  })
})
