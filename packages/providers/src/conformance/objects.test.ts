import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { exceptions } from './exceptions.ts'
import { exceptionFor, objectCases } from './object-cases.ts'
import { type StandInServer, startStandIns } from './stand-in/server.ts'
import { subjectsOf } from './stand-in/subject.ts'
import { caseName } from './tried.ts'

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

it.each(providers.map((entry) => [entry.name, entry] as const))('%s', async (name, entry) => {
  const faults: string[] = []
  const needed = new Set<string>()
  const { subjects, unnamed } = subjectsOf(entry)
  await Promise.all(
    subjects.map(async (subject) => {
      for (const tried of await objectCases(subject, server)) {
        const exception = exceptionFor(name, subject.name, tried)
        if (exception !== undefined && tried.faults.length > 0) needed.add(exception.of)
        const found = exception === undefined ? tried.faults : []
        for (const fault of [...found, ...(tried.because === undefined ? [] : [`not tried: ${tried.because}`])])
          faults.push(`${name} ${subject.name} ${caseName(tried)}: ${fault}`)
      }
    }),
  )
  const superfluous = exceptions.flatMap(({ of }) =>
    of.startsWith(`${name} `) && !needed.has(of) ? [`${of}: the exception is superfluous`] : [],
  )
  const nameless = unnamed.map((pattern) => `${name} needs a name for ${pattern}`)
  expect([...faults, ...superfluous, ...nameless].join('\n')).toBe('')
})

it('names only providers of the catalog in its exceptions', () => {
  const names = new Set(providers.map(({ name }) => name))
  expect(exceptions.filter(({ of }) => !names.has(of.split(' ', 1)[0] ?? ''))).toEqual([])
})
