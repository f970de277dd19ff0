import type { EventStream } from '../../catalogue/format/stream.ts'
import { compilePattern } from '../../interpreter/pattern.ts'
import { StandInLimit } from '../tried.ts'
import { type Json, withValue } from './json-paths.ts'
import { within } from './window-texts.ts'

/** What a decoded event of a stream is about. */
export interface StreamChange {
  name: unknown
  ids: unknown
  /** Names of changed fields. */
  fields?: readonly string[]
  /** A record, where events have one. */
  record?: Json
}

/** Returns a decoded event with its parts where the file says. */
export function decodedEvent({ event }: EventStream, { name, ids, fields, record }: StreamChange): Json {
  let made: unknown = { note: 'Not a part of the event that the file names.' }
  if (event.record !== undefined && record !== undefined) made = withValue(made, event.record, record)
  made = withValue(made, event.name, name)
  made = withValue(made, event.ids, ids)
  if (event.time !== undefined) made = withValue(made, event.time, within.getTime())
  if (event.fieldsUpdated !== undefined && fields !== undefined) made = withValue(made, event.fieldsUpdated, fields)
  return made as Json
}

/** Returns ids of records, which fit the pattern of the file. */
export function streamIds({ event }: EventStream): string[] {
  const fits = event.idPattern === undefined ? undefined : compilePattern(event.idPattern)
  const candidates = ['101', '0011x00001aBcDE', 'id-1', '0123abcd-0123-0123-0123-0123456789ab', 'a1']
  const [first] = candidates.filter((id) => fits?.fits(id) ?? true)
  if (first === undefined) throw new StandInLimit(`the stand-in has no id for ${event.idPattern}`)
  return ['1', '2', '3'].map((end) => `${first.slice(0, -1)}${end}`)
}
