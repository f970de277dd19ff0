import { expect, it } from 'vitest'
import { createConnector } from '../../index.ts'
import { plainHttp, startServer } from '../../testing/http-server.testkit.ts'
import { thingsProvider } from '../../testing/provider.testkit.ts'

/** How fields are put together from what a provider lists, over real HTTP. */

/** A provider that lists columns; some hold references, which are read under other names. */
const columns = `
read: { path: /things }
fields:
  - source: live
    path: /columns
    records: value
    only: { kind: [text, choice, number] }
    neverEmpty: true
    name: name
    displayName: [label.mine, label.all.0, name]
    valueType: [{ when: { kind: choice }, is: singleSelect }, { is: string }]
    readOnly: { when: { create: false, update: false } }
    isRequired: { when: { level: needed } }
  - source: live
    path: /columns
    records: value
    only: { kind: reference }
    name: _{{name}}_value
    readOnly: true
    referenceTo: { path: targets, map: { person: people } }
  - source: choices
    path: /choices
    records: value
    byField: { name: column, each: set.options, value: '{{code}}', label: '{{text.mine}}' }
`

const listed = [
  {
    name: 'title',
    kind: 'text',
    label: { mine: 'Titel', all: ['Title'] },
    create: true,
    update: true,
    level: 'needed',
  },
  { name: 'made', kind: 'number', label: { all: ['Made'] }, create: false, update: false },
  { name: 'number', kind: 'number', create: true, update: false },
  { name: 'stage', kind: 'choice', create: true, update: true },
  { name: 'owner', kind: 'reference', targets: ['person', 'team'] },
  { name: 'hidden', kind: 'virtual' },
]
const choices = [
  {
    column: 'stage',
    set: {
      options: [
        { code: 1, text: { mine: 'New' } },
        { code: 2, text: { mine: 'Old' } },
      ],
    },
  },
  { column: 'title', set: { options: [{ code: 1, text: { mine: 'Not a select' } }] } },
  { column: 'elsewhere', set: { options: [{ code: 1, text: { mine: 'Nobody’s' } }] } },
]

async function described(value: unknown[], answerToChoices: unknown = { value: choices }) {
  await using server = await startServer(({ url }) => ({
    body: url.pathname === '/api/columns' ? { value } : answerToChoices,
  }))
  const connection = { metadata: { baseUrl: server.origin }, credential: { scheme: 'apiKey', apiKey: 'key' } } as const
  const connector = createConnector(thingsProvider(columns), connection, plainHttp(fetch))
  const { fields } = await connector.describeObject('things')
  return { fields, paths: server.seen.map(({ url }) => url.pathname) }
}

it('two sources that read the same list ask for it once', async () => {
  const { fields, paths } = await described(listed)
  expect(paths).toEqual(['/api/columns', '/api/choices'])
  expect(Object.keys(fields)).toEqual(['title', 'made', 'number', 'stage', '_owner_value'])
})

it('flags hold where all their values fit, and a label is the first that there is', async () => {
  const { fields } = await described(listed)
  expect(fields['title']).toMatchObject({ displayName: 'Titel', readOnly: false, isRequired: true })
  expect(fields['made']).toMatchObject({ displayName: 'Made', readOnly: true, isRequired: false })
  expect(fields['number']).toMatchObject({ displayName: 'number', readOnly: false })
})

it('choices go to the fields that their records name, as far as these are selects', async () => {
  const { fields } = await described(listed)
  expect(fields['stage']?.values).toEqual([
    { value: '1', displayValue: 'New' },
    { value: '2', displayValue: 'Old' },
  ])
  expect(fields['title']).not.toHaveProperty('values')
  expect(fields).not.toHaveProperty('elsewhere')
})

it('an answer without fields is an error where there always are some, and so are choices that are no answer', async () => {
  await expect(described([{ kind: 'virtual' }])).rejects.toMatchObject({ class: 'unexpected_response' })
  await expect(described(listed, 'nothing')).rejects.toMatchObject({ class: 'unexpected_response' })
  expect((await described(listed, {})).fields['stage']).not.toHaveProperty('values')
})
