import { expect, test } from 'vitest'
import { type GivenName, keyOf, type NamedTool, toolNames } from './tool-names.ts'

const tool = (label: string, integrationName = 'crm', action: NamedTool['action'] = 'search'): NamedTool => ({
  kind: action === 'call' ? 'custom' : 'object',
  action,
  objectName: label,
  label,
  integrationName,
  provider: 'sampleCrm',
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

/** Names tools as deploys do: what is given stays given. */
function deployed(given: GivenName[], ...tools: NamedTool[]): string[] {
  const named = toolNames(tools, given)
  const known = new Set(given.map(({ name }) => name))
  for (const [name, one] of named) if (!known.has(name)) given.push({ ...one, name })
  return [...named.keys()]
}

test('a tool keeps its name when another integration has one of that name later', () => {
  const given: GivenName[] = []
  expect(deployed(given, tool('contacts', 'hubspot'))).toEqual(['search_contacts'])
  const both = ['search_contacts', 'search_contacts_salesforce']
  expect(deployed(given, tool('contacts', 'hubspot'), tool('contacts', 'salesforce'))).toEqual(both)
  expect(deployed(given, tool('contacts', 'salesforce'))).toEqual(['search_contacts_salesforce'])
  expect(deployed(given, tool('contacts', 'hubspot'))).toEqual(['search_contacts'])
})

test('a name is given to no other tool: not to one of another provider, kind, object or integration', () => {
  const first = { ...tool('contacts', 'crm'), provider: 'hubspot' }
  const given: GivenName[] = []
  deployed(given, first)
  for (const other of [
    { ...first, provider: 'salesforce' },
    { ...first, integrationName: 'second' },
    { ...first, objectName: 'leads' },
    { ...first, kind: 'custom' as const, action: 'call' as const, label: 'search_contacts' },
  ])
    expect(deployed([...given], other)).not.toContain('search_contacts')
})

test('whatever is deployed and removed in any order, a name always means the tool that it was given to', () => {
  const labels = ['contacts', 'contacts_one', 'contacts_one_two', 'search_contacts', 'x'.repeat(70), 'a b', 'a_b', '*']
  const all = labels.flatMap((label) =>
    ['one', 'two', 'one two'].flatMap((name) => [
      tool(label, name),
      { ...tool('contacts', name), objectName: 'leads', label },
      tool(label.replaceAll(/[^a-z]/g, '_'), name, 'call'),
    ]),
  )
  let seed = 7
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  const given: GivenName[] = []
  const owners = new Map<string, string>()
  for (let round = 0; round < 300; round++) {
    const tools = [...new Map(all.filter(() => random() < 0.3).map((one) => [keyOf(one), one])).values()]
    const names = deployed(given, ...tools)
    expect(new Set(names).size).toBe(tools.length)
    for (const [index, name] of names.entries()) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      const key = keyOf(tools[index]!)
      expect(owners.get(name) ?? key).toBe(key)
      owners.set(name, key)
    }
  }
  expect(owners.size).toBeGreaterThan(50)
})
