import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
// biome-ignore-start lint/style/noRestrictedImports: stands in for a network; nothing goes out.
import { type AddressInfo, createServer, type Socket } from 'node:net'
// biome-ignore-end lint/style/noRestrictedImports: as above.
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { openForTest } from '../conformance.testkit.ts'
import type { OutgoingMessage } from '../kind.ts'
import { recordMessages } from '../tables/record-message.testkit.ts'
import { type PostgresTarget, startPostgresTarget } from './conformance.testkit.ts'
import { postgres } from './index.ts'
import { Staging } from './staging.ts'

/** Records that are more than enough for a COPY, also in halves. */
const many = 2_400

let target: PostgresTarget
let opened: ReturnType<typeof openForTest>
/** Statements that were sent, of those that a COPY or a merge consists of. */
let sent: string[]
beforeEach(async () => {
  target = await startPostgresTarget()
  opened = openForTest(postgres, target.settings)
  sent = []
  target.intercept((what, part) => {
    if (what === 'sent') sent.push(...(part.toString('latin1').match(/copy pg_temp|from unnest/g) ?? []))
    return true
  })
})
afterEach(async () => {
  await opened.close()
  await target.stop()
})

const message = recordMessages()
const send = async (...batch: OutgoingMessage[]) => (await opened.send(batch)).map(({ outcome }) => outcome)
const entries = (fieldsOf: (at: number) => object, count = many) =>
  Array.from({ length: count }, (_, at) => ({ id: String(at), fields: fieldsOf(at), raw: { at } }))
const asSuperuser = async (...statements: string[]) => {
  const [found] = await target.query<{ name: string }>('select current_database() as name')
  const admin = new pg.Client({ ...inject('postgres'), user: 'postgres', database: found?.name ?? '' })
  await admin.connect()
  for (const statement of statements) await admin.query(statement.replaceAll('DATABASE', found?.name ?? ''))
  await admin.end()
}

describe('records', () => {
  it('of large batches are copied, and leave no table behind', async () => {
    expect(await send(message(entries((at) => ({ email: `${at}` }), 50)))).toEqual(['delivered'])
    expect(sent).toEqual(['from unnest'])
    expect(await send(message(entries((at) => ({ email: `${at}` }))))).toEqual(['delivered'])
    // The first COPY has no rows, and finds out whether there can be one.
    expect(sent).toEqual(['from unnest', 'copy pg_temp', 'copy pg_temp'])
    expect(await send(message(entries((at) => ({ email: `${at}` }))))).toEqual(['delivered'])
    expect(sent).toEqual(['from unnest', 'copy pg_temp', 'copy pg_temp', 'copy pg_temp'])
    expect(await target.query("select relname from pg_class where relpersistence = 't'")).toEqual([])
    expect(
      await target.query('select count(*)::int as count, count(distinct email)::int as emails from contacts'),
    ).toEqual([{ count: many, emails: many }])
  })

  it('are the same as those of small batches, whatever their values and columns', async () => {
    const texts = [
      '',
      '\\',
      '\\.',
      '\\N',
      'NULL',
      'a\tb',
      'a\nb',
      'a\rb',
      'a\r\nb',
      '\\t\\n',
      'a\\',
      '\b\v\f',
      '\u0000',
    ]
    const wide = ['\ud800', '😀', 'é', '\u2028', '"{},', 'x'.repeat(3_000)]
    const odd = [...texts, ...wide, 0, -0.5, 1e21, true, null, [1, '\\\t'], { 'a\n\\': { b: '\u0000\ud800"' } }]
    const fieldsOf = (at: number) => ({
      text: [...texts, ...wide][at % (texts.length + wide.length)],
      any: odd[at % odd.length],
      list: [odd[at % odd.length]],
      size: at % 3 === 0 ? null : at * 1.5,
      open: at % 2 === 0,
      at: '2026-11-26T10:00:00.5+01:00',
      up: 'not written',
      'a"b\\': at === 7 ? 'x'.repeat(100_000) : at,
    })
    const few = entries(fieldsOf, odd.length)
    await send(message(few, { groupRef: '\\few\t' }))
    await target.query(`alter table contacts alter at type timestamptz using at::timestamptz, drop up,
      add up text generated always as (upper(text)) stored, add owner text default 'me'`)
    const groups: [string, number][] = [
      ['\\few\t', 100],
      ['ma\nny', many],
    ]
    for (const [groupRef, size] of groups) {
      sent = []
      for (let at = 0; at < many; at += size) {
        const raw = { raw: { odd } }
        const some = entries(fieldsOf).slice(at, at + size)
        expect(
          await send(
            message(
              some.map((one) => ({ ...one, ...raw })),
              { groupRef },
            ),
          ),
        ).toEqual(['delivered'])
      }
    }
    // Of the large batch. The first COPY has no rows. Had the server refused the second, they would be sent in parts.
    expect(sent).toEqual(['copy pg_temp', 'copy pg_temp'])
    const columns = `_mortise_id, text, "any", list, size, open, at, up, "a""b\\", owner, _mortise_raw,
      _mortise_provider, _mortise_installation, _mortise_deleted_at`
    const of = (group: string) => `select ${columns} from contacts where _mortise_group = E'${group}'`
    expect(
      await target.query(
        `(${of('\\\\few\\t')} except ${of('ma\\nny')}) union all (${of('ma\\nny')} except ${of('\\\\few\\t')})`,
      ),
    ).toEqual([])
    expect(await target.query(`select count(*)::int as count from (${of('ma\\nny')}) as found`)).toEqual([
      { count: many },
    ])
    expect(await target.query(`select distinct _mortise_read_at as at from contacts`)).toEqual([
      { at: new Date(0x0197b1c00000) },
    ])
  })

  it('are replaced by newer ones alone, in any order, with new columns in between', async () => {
    const [first, second, third] = [1, 2, 3].map((n) => message(entries((at) => ({ email: `${n}`, [`f${n}`]: at }))))
    const found = () => target.query('select distinct email, count(*)::int as count from contacts group by 1')
    expect(await send(second!)).toEqual(['delivered'])
    expect(await send(first!)).toEqual(['delivered'])
    expect(await found()).toEqual([{ email: '2', count: many }])
    expect(await send(third!, second!, third!)).toEqual(['delivered', 'delivered', 'delivered'])
    expect(await found()).toEqual([{ email: '3', count: many }])
    expect(
      await target.query('select count(f1)::int as f1, count(f2)::int as f2, count(f3)::int as f3 from contacts'),
    ).toEqual([{ f1: 0, f2: 0, f3: many }])
    expect(sent.filter((one) => one === 'from unnest')).toEqual([])
  })

  it('of several objects are copied in one transaction, which two senders run in any order', async () => {
    const other = openForTest(postgres, target.settings)
    onTestFinished(() => other.close())
    const batches = Array.from({ length: 6 }, (_, n) => [
      message(
        entries(() => ({ n })),
        { objectName: n % 2 === 0 ? 'contacts' : 'deals' },
      ),
      message(
        entries(() => ({ n })),
        { objectName: n % 2 === 0 ? 'deals' : 'contacts' },
      ),
    ])
    const sends = batches.map((batch, at) => (at % 2 === 0 ? opened : other).send(batch))
    expect((await Promise.all(sends)).flat().map(({ outcome }) => outcome)).toEqual(Array(12).fill('delivered'))
    for (const table of ['contacts', 'deals'])
      expect(await target.query(`select n, count(*)::int as count from ${table} group by 1`)).toEqual([
        { n: '5', count: many },
      ])
  })

  it.each([0, 1, 2])(
    'whose COPY is canceled, %i parts after it began, have no effect, and are stored later',
    async (after) => {
      await send(message([{ id: '1', fields: { note: 'first' } }]))
      const batch = message(entries(() => ({ note: 'x'.repeat(100) })))
      const controller = new AbortController()
      let [copies, parts] = [0, 0]
      target.intercept((what, part) => {
        if (what === 'sent' && part.includes('copy pg_temp')) copies++
        if (what === 'sent' && copies === 2 && parts++ === after) controller.abort()
        return true
      })
      await expect(opened.send([batch], { signal: controller.signal })).rejects.toMatchObject({ kind: 'aborted' })
      expect(await target.query('select note from contacts')).toEqual([{ note: 'first' }])
      expect(await send(batch)).toEqual(['delivered'])
      expect(await target.query('select count(*)::int as count from contacts')).toEqual([{ count: many }])
    },
  )

  it.each([
    ['a text in a column of numbers', 'integer', 'large', '22P02'],
    ['a number that is too large', 'smallint', '70000', '22003'],
    ['a day that does not exist', 'date', '2026-02-30', '22008'],
    ['a text that is no time', 'timestamptz', 'soon', '22007'],
    ['a number that numeric refuses', 'numeric', '1x', '22P02'],
    ['a value that a constraint refuses', "text check (value <> 'bad')", 'bad', '23514'],
  ])('with %s are refused alone', async (_, type, bad, code) => {
    const good = type === 'date' || type === 'timestamptz' ? '2026-02-28' : '1'
    await send(message([{ id: 'x', fields: { value: good } }]))
    await target.query(`alter table contacts drop value, add value ${type}`)
    sent = []
    const result = await opened.send([message(entries((at) => ({ value: at === 2_134 ? bad : good })))])
    expect(result).toMatchObject([
      {
        outcome: 'delivered',
        rejected: [{ entries: [2_134], outcome: 'refused', error: expect.stringContaining(code) }],
      },
    ])
    expect(sent).toContain('copy pg_temp')
    expect(await target.query('select count(*)::int as count from contacts')).toEqual([{ count: many }])
  })
})

describe('without a staging table', () => {
  const refusals: [string, string[]][] = [
    ['the role has no privilege', ['revoke temporary on database DATABASE from public, mortise_owner']],
    ...[['P0001'], ['0A000']].map(([code]): [string, string[]] => [
      `the server answers ${code}`,
      [
        `create function stop() returns event_trigger language plpgsql as $$ begin
           if exists (select from pg_event_trigger_ddl_commands() where schema_name = 'pg_temp') then
             raise 'no temporary tables' using errcode = '${code}'; end if; end $$`,
        'create event trigger stop on ddl_command_end execute function stop()',
      ],
    ]),
  ]
  it.each(refusals)('records are stored when %s, which each connection tries once', async (_, statements) => {
    await asSuperuser(...statements)
    for (const email of ['a', 'b']) expect(await send(message(entries(() => ({ email }))))).toEqual(['delivered'])
    expect(sent).toEqual(['copy pg_temp', 'from unnest', 'from unnest'])
    expect(await target.query('select email, count(*)::int as count from contacts group by 1')).toEqual([
      { email: 'b', count: many },
    ])
  })

  it('a server that refuses it for another reason fails the messages, and is asked again', async () => {
    await asSuperuser(
      `create function stop() returns event_trigger language plpgsql as $$ begin
         raise 'full' using errcode = '53100'; end $$`,
      "create event trigger stop on ddl_command_end when tag in ('CREATE TABLE') execute function stop()",
      'alter event trigger stop disable',
    )
    expect(await send(message([{ id: '1', fields: { email: 'a' } }]))).toEqual(['delivered'])
    await asSuperuser('alter event trigger stop enable')
    const batch = message(entries(() => ({ email: 'b' })))
    expect(await opened.send([batch])).toMatchObject([{ outcome: 'retry', error: expect.stringContaining('53100') }])
    await asSuperuser('alter event trigger stop disable')
    sent = []
    expect(await send(batch)).toEqual(['delivered'])
    expect(sent).toEqual(['copy pg_temp', 'copy pg_temp'])
  })
})

/** A message of the protocol (PostgreSQL, section 54.7). */
function frame(type: string, body: Buffer | string = ''): Buffer {
  const head = Buffer.from(`${type}\0\0\0\0`)
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1)
  return Buffer.concat([head, Buffer.from(body)])
}

const ready = frame('Z', 'T')
const asksForRows = frame('G', '\0\0\0')

/** Starts a server that lets everybody in, and answers each query as it is told. */
async function startServer(answer: (socket: Socket) => void): Promise<pg.Client> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(Buffer.concat([frame('R', '\0\0\0\0'), ready]))
      socket.once('data', () => answer(socket))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'mortise', password: randomBytes(8).toString('hex') })
  client.on('error', () => undefined)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await client.connect()
  return client
}

describe('a COPY', () => {
  const column = (textOf: (row: string) => string) => [{ name: 'a', type: 'text', textOf }]
  const sameText = column((row) => row)

  const rowOf1 = Buffer.from('\0\x01\0\0\0\x011', 'latin1')
  const columnOfRow = Buffer.from('\0\x01a\0\0\0\0\0\0\0\0\0\0\x19\xff\xff\xff\xff\xff\xff\0\0', 'latin1')

  it.each([
    ['with rows', [asksForRows, frame('T', columnOfRow), frame('D', rowOf1)], undefined],
    ['with data', [asksForRows, frame('H', '\0\0\0'), frame('d', 'x')], undefined],
    ['that it was empty', [asksForRows, frame('I')], undefined],
    ['twice that it takes rows', [asksForRows, asksForRows], undefined],
    ['without taking rows', [], 'did not ask for rows'],
  ])('that a server answers %s ends nothing else', async (_, answers, error) => {
    const client = await startServer((socket) =>
      socket.write(Buffer.concat([...answers, frame('C', 'COPY 1\0'), ready])),
    )
    const copied = new Staging(client).run(sameText, ['a'])
    if (error === undefined) await expect(copied).resolves.toBeUndefined()
    else await expect(copied).rejects.toThrow(error)
  })

  it('reads rows as the server takes them', async () => {
    const text = 'x'.repeat(2 ** 16)
    let [read, taken, mostAhead] = [0, 0, 0]
    const client = await startServer((socket) => {
      socket.write(asksForRows)
      socket.on('data', (chunk) => {
        taken += chunk.length
        if (chunk.subarray(-5).equals(frame('c'))) socket.write(Buffer.concat([frame('C', 'COPY 1\0'), ready]))
      })
    })
    const rows = Array.from({ length: 1_000 }, () => text)
    await new Staging(client).run(
      column((row) => {
        read += row.length
        mostAhead = Math.max(mostAhead, read - taken)
        return row
      }),
      rows,
    )
    expect(taken).toBeGreaterThan(rows.length * text.length)
    expect(mostAhead).toBeLessThan(32 * 2 ** 20)
  })

  it('whose rows cannot be written fails with the reason, and the connection stays usable', async () => {
    const client = new pg.Client({ ...inject('postgres'), user: 'postgres', database: 'postgres' })
    await client.connect()
    onTestFinished(() => client.end())
    const rows = Array.from({ length: 1_000 }, (_, at) => 'x'.repeat(at))
    const broken = column((row) => {
      if (row.length === 900) throw new Error('broken')
      return row
    })
    await expect(new Staging(client).run(broken, rows)).rejects.toThrow('broken')
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })
})
