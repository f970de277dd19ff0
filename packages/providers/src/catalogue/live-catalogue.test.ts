import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { testCache } from '../testing/test-cache.testkit.ts'
import { type LiveCatalogue, openLiveCatalogue } from './live-catalogue.ts'

const file = (name: string, label: string, more = '') =>
  `name: ${name}\ndisplayName: ${label}\nbaseUrl: https://api.example.com\nauthentication: [{ scheme: none }]\n${more}`

let dir: string
let catalogue: LiveCatalogue
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'mortise-live-'))
  await write('acme', file('acme', 'First'))
  await write('other', file('other', 'Other'))
  catalogue = await openLiveCatalogue({ cacheDir: testCache, providerDirs: [dir], intervalMs: 10 })
})
afterAll(async () => {
  await catalogue.close()
  await rm(dir, { recursive: true })
})

const write = (name: string, text: string) => writeFile(join(dir, `${name}.yaml`), text)
const until = (check: () => void) => vi.waitFor(check, { timeout: 60_000, interval: 20 })
const label = (name: string) => catalogue.find(name)?.displayName
const broken = () => catalogue.faults.map(({ file, line, column }) => `${file.slice(dir.length + 1)}:${line}:${column}`)

it('a change is in use without a restart, and leaves what did not change alone', async () => {
  const [before, other, hubspot, { version }] = [
    catalogue.find('acme'),
    catalogue.find('other'),
    catalogue.find('hubspot'),
    catalogue,
  ]
  await write('acme', file('acme', 'Second'))
  await until(() => expect(label('acme')).toBe('Second'))
  // Who began with the earlier version goes on with it.
  expect(before?.displayName).toBe('First')
  expect(catalogue.find('other')).toBe(other)
  expect(catalogue.find('hubspot')).toBe(hubspot)
  expect(catalogue.version).not.toBe(version)
})

it('a file that breaks is reported and keeps its last good version, until it is good again', async () => {
  const good = catalogue.find('acme')
  await write('acme', file('acme', 'Third', 'colour: red\n'))
  await until(() => expect(broken()).toEqual(['acme.yaml:5:1']))
  expect(catalogue.find('acme')).toBe(good)
  // Half of it: what an editor, or a copy over a network, leaves for a moment.
  await write('acme', 'name: acme\nbaseUrl: [')
  await until(() => expect(broken()).toEqual(['acme.yaml:2:11']))
  expect(catalogue.find('acme')).toBe(good)
  await write('acme', file('acme', 'Fourth'))
  await until(() => expect(label('acme')).toBe('Fourth'))
  expect(broken()).toEqual([])
})

it('a new file appears, broken or not', async () => {
  await write('fresh', 'name: fresh\n')
  await until(() => expect(broken()).toContain('fresh.yaml:1:1'))
  expect(catalogue.find('fresh')).toBeUndefined()
  await write('fresh', file('fresh', 'Fresh'))
  await until(() => expect(label('fresh')).toBe('Fresh'))
})

it('a file that is deleted gives way to the built-in one, or disappears', async () => {
  await write('hubspot', 'name: hubspot\ndisplayName: Ours\n')
  await until(() => expect(label('hubspot')).toBe('Ours'))
  await rm(join(dir, 'hubspot.yaml'))
  await rename(join(dir, 'fresh.yaml'), join(dir, 'fresh.yaml.off'))
  await until(() => expect([label('hubspot'), label('fresh')]).toEqual(['HubSpot', undefined]))
})
