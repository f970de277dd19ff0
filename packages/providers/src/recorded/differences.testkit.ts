import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RecordedCase } from './recorded-cases.testkit.ts'

/**
 * Where the recordings of a provider and Mortise differ: a list per folder of recordings, in `NAME.differences.ts`.
 * docs/recorded-cases.md prints it. A provider without such a file passes every case.
 */
export type Differences = readonly Difference[]

/** Cases that differ for one reason. */
export interface Difference extends Deviation {
  /** What Mortise does instead, and why that is right, in one or two sentences. */
  why: string
  /** The cases, by id. */
  cases: readonly string[]
}

/** How a case differs. */
export interface Deviation {
  /** The case does not pass, and no other field says how it differs. A test checks that it still fails. */
  fails?: true
  /** Mortise refuses the object before any request. The responses are replayed with this object instead. */
  unknownObject?: string
  /** Names of objects and events here, by their recorded names. */
  names?: Readonly<Record<string, string>>
  /** Seconds by which the provider file begins a window earlier. The recorded window is replayed for a later one. */
  secondsEarlier?: number
  /** A text of the recorded exchanges, and the text in its place here. */
  otherwise?: readonly [recorded: string, here: string]
  /** Requests that only Mortise sends, with the body of their response. */
  alsoRequested?: readonly { method?: string; path: string; query?: Readonly<Record<string, string>>; body: unknown }[]
  /** Values that replace those of the recorded input. */
  input?: Readonly<Record<string, unknown>>
  /** Values that customers enter, in addition to the recorded ones. */
  metadata?: Readonly<Record<string, string>>
  /** Values that replace those of the recorded outcome. */
  expect?: Readonly<Record<string, unknown>>
  /** Parts of the recorded outcome that do not hold here, as paths. */
  leftOut?: readonly string[]
}

/** Why a page that is not full ends a list. */
export const shortPage =
  'A page with fewer records than Mortise requested ends the list. The recording requests one more page.'

/** Why a window begins one second earlier. */
export const excludesBound =
  'The filter excludes the second in which the window begins. So Mortise begins one second earlier, and misses no change.'

/** Why an object that the recordings use is refused. */
export const unknownObject =
  'Neither the provider file nor the documentation has this object. So Mortise refuses it before a request.'

/** Why events have another name of their object. */
export const eventObjects = 'Events and reads use the same name for an object. The recording has the name in the event.'

/** Returns the differences of a folder of recordings. */
export async function differencesOf(folder: string): Promise<Differences> {
  const file = join(import.meta.dirname, `${folder}.differences.ts`)
  if (!existsSync(file)) return []
  const { differences } = (await import(file)) as { differences: Differences }
  return differences
}

type AnyCase = Pick<RecordedCase, 'id' | 'exchanges' | 'metadata'> & { input: object; expect: object }

/** A case as Mortise should pass it. */
export type CaseHere<Case> = Case & Pick<Deviation, 'unknownObject'> & { fails: boolean; names: Record<string, string> }

/**
 * Applies the differences of a case to it.
 *
 * @throws If a difference changes nothing, so that none stays when its recording changes.
 */
export function caseHere<Case extends AnyCase>(recorded: Case, differences: Differences): CaseHere<Case> {
  const here: CaseHere<Case> = { ...structuredClone(recorded), fails: false, names: {} }
  for (const difference of differences.filter(({ cases }) => cases.includes(recorded.id))) {
    const before = JSON.stringify(here)
    apply(difference, here)
    if (JSON.stringify(here) === before) throw new Error(`${recorded.id}: "${difference.why}" changes nothing`)
  }
  return here
}

function apply(difference: Deviation, here: CaseHere<AnyCase>): void {
  const { fails, unknownObject, secondsEarlier, otherwise, alsoRequested, metadata } = difference
  if (fails) here.fails = true
  if (unknownObject !== undefined) here.unknownObject = unknownObject
  Object.assign(here.names, difference.names)
  Object.assign(here.input, difference.input)
  Object.assign(here.expect, difference.expect)
  if (metadata) here.metadata = { ...here.metadata, ...metadata }
  if (secondsEarlier !== undefined) {
    const { since = '' } = here.input as { since?: string }
    Object.assign(here.input, { since: new Date(Date.parse(since) + secondsEarlier * 1000).toISOString() })
  }
  if (otherwise) here.exchanges = JSON.parse(JSON.stringify(here.exchanges).replaceAll(...otherwise))
  // The first exchange that fits responds, and recorded requests may fit all.
  for (const { body, ...request } of alsoRequested ?? [])
    here.exchanges.unshift({ request: { method: 'GET', ...request }, response: { status: 200, body } })
  for (const path of difference.leftOut ?? []) leaveOut(path.split('.'), here.expect)
}

function leaveOut(path: readonly string[], from: object): void {
  const [name = '', ...rest] = path
  if (!(name in from)) throw new Error(`the recorded outcome has no "${name}"`)
  const parts = from as Record<string, unknown>
  if (rest.length > 0) leaveOut(rest, parts[name] as object)
  else if (Array.isArray(from)) from.splice(Number(name), 1)
  else delete parts[name]
}
