import { nextTick } from '@mortise/manifest'
import { describe, expect, it } from 'vitest'
import { backfillWindow } from './begin-backfills.ts'
import { stateChange, wantsBackfill } from './sync.ts'

const now = new Date('2026-03-01T10:07:00Z')
const firstRun = (schedule: string) => nextTick(schedule, now)
const nothing = { leftOut: false, refused: false }
const contacts = { objectName: 'contacts', schedule: '*/15 * * * *', disabled: false }

describe('the state of an object after a change', () => {
  it('begins with its next time, counted from now', () => {
    expect(stateChange(contacts, undefined, nothing, firstRun)).toEqual({
      objectName: 'contacts',
      schedule: '*/15 * * * *',
      nextRunAt: new Date('2026-03-01T10:15:00Z'),
      paused: null,
    })
  })

  it('keeps its next time while the schedule stays the same', () => {
    const nextRunAt = new Date('2026-03-01T10:00:00Z')
    expect(
      stateChange(contacts, { schedule: '*/15 * * * *', nextRunAt, paused: undefined }, nothing, firstRun).nextRunAt,
    ).toEqual(nextRunAt)
  })

  it('takes a new schedule at once', () => {
    const before = { schedule: '0 0 1 1 *', nextRunAt: new Date('2027-01-01T00:00:00Z'), paused: undefined }
    expect(stateChange(contacts, before, nothing, firstRun).nextRunAt).toEqual(new Date('2026-03-01T10:15:00Z'))
  })

  it.each([
    // paused before, disabled by the config, left out by the newest revision, credentials refused -> paused after
    [undefined, false, false, true, 'credentials'],
    [undefined, true, false, true, 'config'],
    ['config', false, false, false, null],
    ['config', true, false, false, 'config'],
    ['config', false, false, true, 'credentials'],
    ['request', false, false, false, 'request'],
    ['request', false, false, true, 'request'],
    ['failures', false, false, false, 'failures'],
    ['credentials', false, false, true, 'credentials'],
    ['credentials', false, false, false, null],
    ['removed', false, true, false, 'removed'],
    ['removed', false, false, false, null],
  ] as const)(
    'was paused %s, disabled %s, left out %s, refused %s: is paused %s',
    (paused, disabled, leftOut, refused, after) => {
      const state = { schedule: contacts.schedule, nextRunAt: now, paused }
      expect(stateChange({ ...contacts, disabled }, state, { leftOut, refused }, firstRun).paused).toBe(after)
    },
  )

  it('is paused from the start on a connection whose credentials are refused', () => {
    expect(stateChange(contacts, undefined, { leftOut: false, refused: true }, firstRun).paused).toBe('credentials')
  })
})

describe('the window of a backfill', () => {
  it.each([
    [undefined, undefined],
    [{ days: 0 }, undefined],
    [{ days: 30 }, { since: new Date('2026-01-30T10:07:00Z'), until: now }],
    [{ fullHistory: true }, { since: null, until: now }],
    [
      { fullHistory: true, days: 3 },
      { since: null, until: now },
    ],
    [
      { fullHistory: false, days: 1 },
      { since: new Date('2026-02-28T10:07:00Z'), until: now },
    ],
  ])('of %o is %o', (defaultPeriod, window) => {
    expect(backfillWindow(defaultPeriod ? { backfill: { defaultPeriod } } : {}, now)).toEqual(window)
  })

  it('stays a date however many days are asked for', () => {
    const window = backfillWindow({ backfill: { defaultPeriod: { days: Number.MAX_SAFE_INTEGER } } }, now)
    expect(window?.since?.getUTCFullYear()).toBe(1926)
  })
})

describe('a backfill', () => {
  it.each([
    // state before, newest backfill -> wanted
    [undefined, undefined, true],
    [{ paused: undefined }, undefined, false],
    [{ paused: 'config' }, undefined, true],
    [{ paused: 'credentials' }, undefined, true],
    [{ paused: 'request' }, undefined, false],
    [{ paused: undefined }, 'done', false],
    [{ paused: 'credentials' }, 'done', false],
    [{ paused: undefined }, 'running', false],
    [{ paused: undefined }, 'unfinished', true],
    [{ paused: 'credentials' }, 'unfinished', true],
  ] as const)('of an object in state %o, after one that is %s, is wanted: %s', (state, backfill, wanted) => {
    expect(wantsBackfill(state, backfill)).toBe(wanted)
  })
})
