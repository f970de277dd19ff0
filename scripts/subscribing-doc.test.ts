import { readFile } from 'node:fs/promises'
import { allWebhooks, loadCatalogue } from '@mortise/providers'
import { expect, it } from 'vitest'
import { testCache } from '../packages/providers/src/testing/test-cache.testkit.ts'

/** The providers with webhooks, as docs/subscribing.md and the README list them, against the provider files. */

const read = (file: string) => readFile(new URL(`../${file}`, import.meta.url), 'utf8')

it('docs/subscribing.md has a row for each provider with webhooks, with each of its objects', async () => {
  const rows = new Map(
    [...(await read('docs/subscribing.md')).matchAll(/^\| `(\w+)` \| ([^|]+) \|[^|]+\|[^|]+\|$/gm)].map(
      ([, name, objects = '']) => [name, objects.toLowerCase()],
    ),
  )
  const subscribed = (await loadCatalogue({ cacheDir: testCache }))
    .list()
    .filter((entry) => allWebhooks(entry).length > 0)
  expect([...rows.keys()].toSorted()).toEqual(subscribed.map(({ name }) => name).toSorted())
  for (const object of Object.keys(subscribed.find(({ name }) => name === 'hubspot')?.file?.webhooks?.objects ?? {}))
    expect(rows.get('hubspot')).toContain(object.replace(/[_-]/g, ' '))
})

it('the README counts them, and names some', async () => {
  const [, count = '', names = ''] =
    /verified webhooks of (\d+) providers, such as (.+?), and by the event stream/.exec(await read('README.md')) ?? []
  const subscribed = (await loadCatalogue({ cacheDir: testCache }))
    .list()
    .filter((entry) => allWebhooks(entry).length > 0)
  expect(Number(count)).toBe(subscribed.length)
  const known = subscribed.map(({ displayName }) => displayName)
  for (const name of names.trim().split(/, | and /)) expect(known).toContain(name)
})
