import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SeenRequest } from '../testing/http-server.testkit.ts'

/**
 * Where the recordings of a provider and what we do differ, each with its reason as a comment or a text. One file per
 * folder of recordings: `NAME.differences.ts`. A provider without such a file passes every case.
 */
export interface Differences {
  /** Cases that are not run, by id, with the reason. */
  notRun?: Readonly<Record<string, string>>
  /**
   * Objects that neither file nor documentation know: refused before anything is sent, where the recordings send. What
   * is made of such an answer is shown with an object that there is. `undefined` where the recording names the object
   * in its path.
   */
  unknownObjects?: Readonly<Record<string, string | undefined>>
  /** The same for writes, each with an object that there is. */
  unknownInWrites?: Readonly<Record<string, string>>
  /** Objects that have another name here. */
  calledHere?: Readonly<Record<string, string>>
  /** Seconds by which a window begins earlier here, by case. */
  secondsEarlier?: Readonly<Record<string, number>>
  /** Records that the recordings leave out by default, by case and id: here they are read. */
  readHere?: Readonly<Record<string, readonly string[]>>
  /** Reads of records without an id, which the recordings refuse: here a record may have none. */
  withoutId?: readonly string[]
  /** What differs in our requests, and means the same, by case. */
  otherwise?: Readonly<Record<string, readonly [recorded: string, here: string]>>
  /** Headers that have another value here, by name, such as the version of an API. */
  headers?: Readonly<Record<string, readonly [recorded: string, here: string]>>
  /** Part of every path that has another value here, such as the version of an API. */
  path?: readonly [recorded: string, here: string]
  /** Parts of recorded metadata that are left out here, by case, as paths. */
  leftOut?: Readonly<Record<string, readonly string[]>>
  /** Cases of objects whose fields the file declares: where the recordings look at a sample, nothing is sent here. */
  declaredFields?: readonly string[]
  /** Reads that end here at a page shorter than the requested size, where the recordings request once more. */
  endsAtShortPage?: readonly string[]
  /** Reads that end here with another list, such as that of archived records, where the recordings have one list. */
  anotherListFollows?: readonly string[]
  /** Whether associations are declared. Otherwise they are fields. */
  hasAssociations?: boolean
  /** What is requested before a write, which the recordings do without, by case. */
  requestedBefore?: Readonly<Record<string, { path: string; body: object }>>
  /** Batches whose whole request the recordings count as refused for its first record. Here no record has a result. */
  refusedAsWhole?: readonly string[]
  /** Recordings of webhooks: objects that have another name here, by the recorded one. */
  eventObjects?: Readonly<Record<string, string>>
  /** Recordings of webhooks: events that have another name here, by the recorded one. */
  eventNames?: Readonly<Record<string, string>>
  /** Recorded events that name an account which ours do not: they come to a URL of the account. */
  accountByUrl?: true
  /** Codes next to the provider's own sentence, which are not shown. */
  codes?: readonly string[]
}

/** Returns the differences of a folder of recordings. */
export async function differencesOf(folder: string): Promise<Differences> {
  const file = join(import.meta.dirname, `${folder}.differences.ts`)
  if (!existsSync(file)) return {}
  const { differences } = (await import(file)) as { differences: Differences }
  return differences
}

/** The request with the recorded values of what differs here in every request. */
export function asRecorded(request: SeenRequest, { headers = {}, path }: Differences): SeenRequest {
  const recorded = Object.entries(headers).flatMap(([name, [value, here]]) =>
    request.headers[name] === here ? [[name, value]] : [],
  )
  const url = new URL(request.url)
  if (path) url.pathname = url.pathname.replace(path[1], path[0])
  return { ...request, url, headers: { ...request.headers, ...Object.fromEntries(recorded) } }
}
