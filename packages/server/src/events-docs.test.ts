import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { eventPages } from '../../../scripts/event-pages.ts'
import { eventTypes } from './features/messaging/notifications/index.ts'

const folder = new URL('../../../docs/events/', import.meta.url)
const pages = eventPages(eventTypes)
const overview = readFileSync(new URL('../../../docs/notifications.md', import.meta.url), 'utf8')

const ajv = new Ajv2020({ strict: false })
;(formats as unknown as { default: (ajv: Ajv2020) => Ajv2020 }).default(ajv)

test('every type of event has its page, and no other has one', () => {
  expect(readdirSync(folder).toSorted()).toEqual([...pages.keys()].toSorted())
})

test('the overview links every page, and no other', () => {
  const linked = [...overview.matchAll(/\]\(events\/([^)]+)\)/g)].map((match) => match[1])
  expect(linked.toSorted()).toEqual([...pages.keys()].toSorted())
})

describe.each(eventTypes)('$name', ({ name, when, data, example }) => {
  test('is documented as it is declared (node scripts/run.mjs scripts/write-events-docs.ts writes it)', () => {
    expect(readFileSync(new URL(`${name}.md`, folder), 'utf8')).toBe(pages.get(`${name}.md`))
    expect(when).toMatch(/^[A-Z].*\.$/s)
  })

  test('has an example that its schema takes, and describes every field', () => {
    expect(example.notificationType).toBe(name)
    const validate = ajv.compile(data)
    expect(validate(example.data), JSON.stringify(validate.errors)).toBe(true)
    for (const [field, schema] of Object.entries(data.properties))
      expect((schema as { description?: string }).description, field).toMatch(/^[A-Z].*\.$/)
  })
})

test('a config is either there or fetched, never both and never neither', () => {
  const created = eventTypes.find(({ name }) => name === 'installation.created')!
  const validate = ajv.compile(created.data)
  const { config, ...rest } = created.example.data
  const configURL = 'https://example.com/results/1'
  expect([config, configURL].map((_, at) => validate({ ...rest, ...(at === 0 ? { config } : { configURL }) }))).toEqual(
    [true, true],
  )
  expect(validate(rest)).toBe(false)
  expect(validate({ ...rest, config, configURL })).toBe(false)
})
