import { expect, test } from 'vitest'
import { type NamedTool, toolNames } from './tool-names.ts'

const tool = (label: string, integrationName = 'crm', action: NamedTool['action'] = 'search'): NamedTool => ({
  action,
  objectName: label,
  label,
  integrationName,
})
const namesOf = (...tools: NamedTool[]) => [...toolNames(tools).keys()]

test('a tool is named after its action and object', () => {
  expect(namesOf(tool('contacts'), tool('price/list.items'), tool('Deals', 'crm', 'get'))).toEqual([
    'search_contacts',
    'search_price_list_items',
    'get_Deals',
  ])
})

test('tools of several integrations with one object are named after the integration, too', () => {
  expect(namesOf(tool('contacts', 'hub spot'), tool('contacts', 'salesforce'), tool('notes', 'salesforce'))).toEqual([
    'search_contacts_hub_spot',
    'search_contacts_salesforce',
    'search_notes',
  ])
})

test('every name is unique and one that model APIs take, whatever objects and integrations are called', () => {
  const long = 'x'.repeat(300)
  const hostile = [
    ...[long, `${long}y`, '連絡先', '', '***', 'a b', 'a_b', 'a/b', '__proto__', 'approval_result'].flatMap((label) => [
      tool(label, 'one', 'get'),
      tool(label, 'two', 'get'),
      tool(label, long, 'get'),
    ]),
    tool('contacts', 'one'),
    tool('contacts_one', 'three'),
    tool('contacts', 'three'),
    tool('approval_result', 'only', 'get'),
  ]
  const names = namesOf(...hostile)
  expect(new Set(names).size).toBe(hostile.length)
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  expect(names).not.toContain('get_approval_result')
})

test('names are the same each time', () => {
  const tools = [tool('連絡先', 'one'), tool('連絡先', 'two'), tool('x'.repeat(100))]
  expect(namesOf(...tools)).toEqual(namesOf(...tools))
})
