import { expect, it } from 'vitest'
import { loadCatalogue } from '../catalogue/load-catalogue.ts'
import { testCache } from '../testing/test-cache.testkit.ts'
import { exceptions } from './exceptions.ts'
import { exceptionFor } from './object-cases.ts'
import { caseName } from './tried.ts'
import { declaredWebhooks, webhookCases } from './webhook-cases.ts'

/** Sends the events of every provider as its file declares them. */
const catalogue = await loadCatalogue({ cacheDir: testCache })
const all = catalogue.list().flatMap((entry) => declaredWebhooks(entry).map((declared) => ({ entry, declared })))

it.each(all.map(({ entry, declared }) => [`${entry.name} ${declared.module}`.trim(), entry, declared] as const))(
  '%s',
  async (_, { name }, declared) => {
    const part = declared.module === '' ? 'webhooks' : `${declared.module}/webhooks`
    const tried = await webhookCases(declared)
    const needed = new Set<string>()
    const faults = tried.flatMap((one) => {
      const exception = one.faults.length > 0 ? exceptionFor(name, part, one) : undefined
      if (exception !== undefined) needed.add(exception.of)
      return exception === undefined ? one.faults.map((fault) => `${name} ${part} ${caseName(one)}: ${fault}`) : []
    })
    const superfluous = exceptions.flatMap(({ of }) =>
      of.startsWith(`${name} ${part} `) && !needed.has(of) ? [`${of}: the exception is superfluous`] : [],
    )
    expect([...faults, ...superfluous].join('\n')).toBe('')
  },
)
