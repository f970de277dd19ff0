import { expect, it } from 'vitest'
import type { CatalogueEntry } from '../catalogue.ts'
import { validateManifest } from '../validate.ts'

const can = { read: true, write: false, subscribe: true, proxy: false }
const calendar: CatalogueEntry = {
  ...{ name: 'calendar', authType: 'apiKey', support: can, implemented: can, modules: {} },
  signalsChanges: ['events'],
}

/** Errors of a manifest that subscribes to an object and reads others. */
function errors(objectName: string, reads: { objectName: string; schedule?: string }[]): string[] {
  const events = { updateEvent: { enabled: 'always', watchFieldsAuto: 'all' }, inheritFieldsAndMapping: true }
  const integration = {
    ...{ name: 'one', provider: 'calendar' },
    read: { objects: reads.map((read) => ({ ...read, destination: 'hook' })) },
    subscribe: { objects: [{ objectName, destination: 'hook', ...events }] },
  }
  const { findings } = validateManifest(JSON.stringify({ specVersion: '1.0.0', integrations: [integration] }), {
    catalogue: { find: () => calendar, suggest: () => 'calendar' },
    readIntervalMinMs: 60_000,
  })
  return findings.filter(({ level }) => level === 'error').map(({ rule }) => rule)
}

it('an object whose events only signal changes is read on a schedule', () => {
  const schedule = '*/30 * * * *'
  expect(errors('events', [{ objectName: 'events', schedule }])).toEqual([])
  expect(errors('events', [{ objectName: 'events' }])).toEqual(['subscribe-schedule-required'])
  expect(errors('events', [{ objectName: 'others', schedule }])).toEqual(['subscribe-schedule-required'])
  expect(errors('others', [{ objectName: 'others' }])).toEqual([])
})
