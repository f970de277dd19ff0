import { expect, it } from 'vitest'
import { validateManifest } from '../validate.ts'

const implemented = { read: true, write: false, subscribe: false, proxy: false }

/** Messages about the schedules of a manifest that watches schemas and looks for deletions. */
function messages(schedule: string): string[] {
  const object = { objectName: 'contacts', destination: 'hook', schedule: '0 * * * *', deletions: { schedule } }
  const watchSchema = { destination: 'hook', schedule, allObjects: { fieldCreated: { enabled: 'always' } } }
  const integrations = [{ name: 'one', provider: 'crm', read: { objects: [object] }, watchSchema }]
  const { findings } = validateManifest(JSON.stringify({ specVersion: '1.0.0', integrations }), {
    catalogue: { find: () => ({ name: 'crm', authType: 'apiKey', implemented, modules: {} }), suggest: () => 'crm' },
    readIntervalMinMs: 60_000,
  })
  return findings.filter(({ rule }) => rule.endsWith('minimum-interval')).map(({ message }) => message)
}

it.each([
  ['0,59 * * * *', '1 minute'],
  ['*/15 * * * *', '15 minutes'],
])('what may run once an hour says how often %s fires', (schedule, apart) => {
  expect(messages(schedule)).toEqual([
    `Deleted records are looked for at most once an hour; this schedule fires ${apart} apart.`,
    `The schema is watched at most once an hour; this schedule fires ${apart} apart.`,
  ])
})

it('an hourly schedule is valid', () => {
  expect(messages('0 * * * *')).toEqual([])
})
