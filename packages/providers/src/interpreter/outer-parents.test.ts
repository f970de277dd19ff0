import { expect, it } from 'vitest'
import { thingsProvider } from '../testing/provider.testkit.ts'
import { type Answers, connected, ids, readAll } from '../testing/things-reader.testkit.ts'

const object = `read:
  path: /things
  query: { board: '{{parent.name}}', of: '{{parent.org}}', page: '{{page}}' }
  pageSizeMax: 2
  paging: { kind: page }
  each:
    path: /boards
    query: { org: '{{parent.id}}', page: '{{page}}' }
    pageSizeMax: 2
    paging: { kind: page }
    id: name
    keep: { board: name }
    each:
      path: /orgs
      query: { page: '{{page}}' }
      pageSizeMax: 1
      paging: { kind: page }
      keep: { org: id }
      mayRefuse: true`

const orgs = ['a', 'b', 'c', 'd']
/** Number of things of each board. `b` refuses its boards, `c` has none. Two have a board of the same name. */
const boards: Record<string, Record<string, number>> = { a: { a1: 3, a2: 0, a3: 1 }, c: {}, d: { a1: 2 } }

const answers: Answers = ({ url: { pathname, searchParams } }) => {
  const at = Number(searchParams.get('page')) - 1
  const page = <T>(all: T[], size = 2) => ({ body: all.slice(at * size, at * size + size) })
  if (pathname === '/api/orgs')
    return page(
      orgs.map((id) => ({ id })),
      1,
    )
  const org = searchParams.get('org') ?? searchParams.get('of') ?? ''
  if (org === 'b') return { status: 403, body: {} }
  if (pathname === '/api/boards') return page(Object.keys(boards[org] ?? {}).map((name) => ({ name })))
  const board = searchParams.get('board') ?? ''
  return page(Array.from({ length: boards[org]?.[board] ?? 0 }, (_, index) => ({ id: `${org}-${board}-${index}` })))
}

const all = ['a-a1-0', 'a-a1-1', 'a-a1-2', 'a-a3-0', 'd-a1-0', 'd-a1-1']

it('lists of parents of parents are read to the last one, and a refused one is skipped', async () => {
  await connected(object, answers, async (connector) => {
    const pages = await readAll(connector, { fields: ['board'] })
    expect(ids(pages).flat()).toEqual(all)
    expect(pages.flat().at(-1)?.fields).toEqual({ board: 'a1' })
  })
})

it.each([1, 2, 3])(
  'pages of %s: each continues where the one before ended, by another connector, too',
  async (pageSize) => {
    const found: (string | undefined)[] = []
    let page: string | undefined
    do {
      await connected(object, answers, async (connector) => {
        const read = await connector.readPage({ object: 'things', fields: [], pageSize, ...(page && { page }) })
        found.push(...read.records.map(({ id }) => id))
        page = read.nextPage
      })
    } while (page !== undefined)
    expect(found).toEqual(all)
  },
)

it('an error of a list is an error of the read', async () => {
  const failing: Answers = (request) =>
    request.url.searchParams.get('org') === 'd' ? { status: 500, body: {} } : answers(request)
  await connected(object, failing, async (connector) => {
    await expect(readAll(connector)).rejects.toMatchObject({ class: 'provider_5xx' })
  })
})

it('a file is refused whose outer parents have no list', () => {
  const file = (each: string) => thingsProvider(`read: { path: '/things/{{parent.id}}', each: ${each} }`)
  expect(() => file('{ values: [{ id: x }], each: { path: /orgs } }')).toThrow('needs "path" where it has "each"')
  expect(() => file('{ path: /boards, each: {} }')).toThrow('at least one of "path" and "values"')
  expect(() => file("{ path: '/boards/{{parent.id}}' }")).toThrow('"parent.id", which is not declared here')
})
