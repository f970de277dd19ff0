import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { batchFaults } from './batch-cases.ts'
import { exceptions } from './exceptions.testkit.ts'
import { readFaults } from './read-cases.ts'
import { type StandInServer, startStandIns } from './stand-in/server.ts'
import { type Subject, subjectsOf } from './stand-in/subject.ts'
import { writeFaults } from './write-cases.ts'
import { writeJobFaults } from './write-job-cases.ts'

/** Reads and writes every object of every provider against a stand-in that is made from the provider's file. */
const catalogue = await loadCatalogue({ cacheDir: testCache })
const providers = catalogue.list().filter(({ implemented }) => implemented.read || implemented.write)
let server: StandInServer

beforeAll(async () => {
  server = await startStandIns()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

async function allWrites(subject: Subject) {
  return [
    ...(await writeFaults(subject, server)),
    ...(await batchFaults(subject, server)),
    ...(await writeJobFaults(subject, server)),
  ]
}

it.each(providers.map((entry) => [entry.name, entry] as const))('%s', async (name, entry) => {
  const known = exceptions.filter(({ of }) => of.startsWith(`${name} `))
  const faults: string[] = []
  const needed = new Set<string>()
  await Promise.all(
    subjectsOf(entry).map(async (subject) => {
      const read = subject.object['read'] === undefined ? [] : await readFaults(subject, server)
      for (const [what, fault] of [...read, ...(await allWrites(subject))]) {
        const at = `${name} ${subject.name} ${what}`
        const exception = known.find(({ of }) => at === of || at.startsWith(`${of} `))
        if (exception === undefined) faults.push(`${at}: ${fault}`)
        else needed.add(exception.of)
      }
    }),
  )
  const superfluous = known.flatMap(({ of }) => (needed.has(of) ? [] : [`${of}: the exception is superfluous`]))
  expect([...faults, ...superfluous].join('\n')).toBe('')
})

it('names only providers of the catalog in its exceptions', () => {
  const names = new Set(providers.map(({ name }) => name))
  expect(exceptions.filter(({ of }) => !names.has(of.split(' ', 1)[0] ?? ''))).toEqual([])
})
