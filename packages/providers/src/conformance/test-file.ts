import { compileCatalogue } from '../catalogue/compile-catalogue.ts'
import type { CatalogueFault, ProviderEntry } from '../catalogue/entry.ts'
import { entryOfCompiled } from '../catalogue/entry-of-compiled.ts'
import { declaredWebhooks } from './declared-webhooks.ts'
import { exceptionFor, objectCases } from './object-cases.ts'
import { fullReadCase } from './read-cases.ts'
import { sampleCredentials } from './sample-credentials.ts'
import { signInCases } from './sign-in-cases.ts'
import { type StandInServer, startStandIns } from './stand-in/server.ts'
import { requestedBy, type Subject, subjectsOf } from './stand-in/subject.ts'
import { declaredStreams, streamCases } from './stream-cases.ts'
import type { CaseGroup, Tried } from './tried.ts'
import { type Untested, untestedParts } from './untested-parts.ts'
import { addressCases } from './url-faults.ts'
import { webhookCases } from './webhook-cases.ts'

export { decodedEvent, streamIds } from './stand-in/stream-event.ts'
export { declaredStreams } from './stream-cases.ts'
export type { Untested } from './untested-parts.ts'

/** A provider file by its path and text. The base name of the path is the name of the provider. */
interface FileToTest {
  path: string
  text: string
}

/** Cases of one kind, and what came of them. */
export interface StandInGroup {
  group: CaseGroup | 'addresses' | 'authentication'
  passed: string[]
  failed: { case: string; message: string }[]
  notTested: { case: string; because: string }[]
}

/** What a test found out about an object. */
export interface StandInObject {
  objectName: string
  groups: StandInGroup[]
}

export interface StandInRequest {
  file: FileToTest
  /** The stand-in answers as this file says. Default: the tested one. */
  as?: FileToTest
  /** The files of the release: each completes the file of its name. */
  builtIn: readonly FileToTest[]
  /** Names of the objects to test. Default: all. */
  objects?: readonly string[]
}

/** What of a test is known as soon as it is over. */
export interface StandInListener {
  file(groups: StandInGroup[]): void
  object(result: StandInObject): void
}

/**
 * Tests a provider file against a stand-in: a server on 127.0.0.1 that answers as the file declares, and refuses all
 * other requests. It finds what Mortise cannot do as the file says, such as a window that changes no request.
 *
 * @returns what was not tested; or all errors of the files, which are then not tested
 */
export async function testWithStandIn(
  { file, as = file, builtIn, objects = [] }: StandInRequest,
  listener: StandInListener,
): Promise<{ untested: Untested[] } | { faults: CatalogueFault[] }> {
  const tested = compiled(file, builtIn)
  const declared = as === file ? tested : compiled(as, builtIn)
  const faults = [tested, ...(as === file ? [] : [declared])].flatMap((one) => ('faults' in one ? one.faults : []))
  if ('faults' in tested || 'faults' in declared) return { faults }
  const server = await startStandIns()
  try {
    return { untested: await testEntry(tested.entry, declared.entry, { objects, server, listener }) }
  } finally {
    await server[Symbol.asyncDispose]()
  }
}

function compiled(
  { path, text }: FileToTest,
  builtIn: readonly FileToTest[],
): { entry: ProviderEntry } | { faults: CatalogueFault[] } {
  const beneath = builtIn.map((file) => ({ ...file, origin: 'builtIn' as const }))
  const { providers, faults } = compileCatalogue([{ path, text, origin: 'user' }], beneath)
  const [found] = providers
  return found === undefined ? { faults } : { entry: entryOfCompiled(found, path) }
}

interface Testing {
  objects: readonly string[]
  server: StandInServer
  listener: StandInListener
}

async function testEntry(
  entry: ProviderEntry,
  declared: ProviderEntry,
  { objects, server, listener }: Testing,
): Promise<Untested[]> {
  const { subjects, unnamed } = subjectsOf(declared)
  const own = new Set(subjectsOf(entry).subjects.map(({ name }) => name))
  const chosen = subjects.filter(({ name }) => objects.length === 0 || objects.includes(name))
  listener.file([
    addressGroup(entry),
    ...(await authenticationGroups(entry, declared, chosen, server)),
    ...(objects.length === 0 ? grouped(await fileCases(entry, declared, server)) : []),
    ...(objects.length === 0 && entry === declared ? await webhookGroups(entry, server) : []),
  ])
  for (const subject of chosen)
    if (own.has(subject.name)) listener.object(await objectResult(requestedBy(subject, entry), server))
  const missing = [...own].filter((name) => !subjects.some((subject) => subject.name === name))
  const unknown = objects.filter((name) => !subjects.some((subject) => subject.name === name))
  return [
    ...missing.map((name) => ({ what: name, because: 'the file of the stand-in has no such object' })),
    ...chosen.flatMap(({ name }) =>
      own.has(name) ? [] : [{ what: name, because: 'the tested file has no such object' }],
    ),
    ...unknown.map((name) => ({ what: name, because: 'the file has no such object' })),
    ...unnamed.map((pattern) => ({ what: `objects like ${pattern}`, because: 'the stand-in has no name that fits' })),
    ...untestedParts(entry, (name) => objects.length === 0 || objects.includes(name)),
  ]
}

function addressGroup(entry: ProviderEntry): StandInGroup {
  return groupOf('addresses', addressCases(entry))
}

/** Each credential that a connection may have, in a read of the first object. */
async function authenticationGroups(
  entry: ProviderEntry,
  declared: ProviderEntry,
  chosen: readonly Subject[],
  server: StandInServer,
): Promise<StandInGroup[]> {
  const first = chosen.find(({ object }) => object['read'] !== undefined)
  if (first === undefined) return []
  const cases = sampleCredentials(declared).map(async (sample) => {
    const subject = subjectsOf(declared, sample).subjects.find(({ name }) => name === first.name) ?? first
    const { faults, because } = await fullReadCase(requestedBy(subject, entry), server)
    return { name: sample.scheme, faults, ...(because !== undefined && { because }) }
  })
  return [groupOf('authentication', await Promise.all(cases))]
}

/** How accounts sign in, and what a stream says. */
async function fileCases(entry: ProviderEntry, declared: ProviderEntry, server: StandInServer): Promise<Tried[]> {
  const found = await signInCases(entry, declared, server)
  for (const stream of declaredStreams(declared))
    found.push(...(await streamCases(entry, { ...stream, entry: declared }, server)))
  return found
}

/** What arrives from the provider, and the registrations there. */
async function webhookGroups(entry: ProviderEntry, server: StandInServer): Promise<StandInGroup[]> {
  const found: Tried[] = []
  for (const declared of declaredWebhooks(entry)) {
    const of = (name: string) => (declared.module === '' ? name : `${declared.module}: ${name}`)
    found.push(...(await webhookCases(entry, declared, server)).map((tried) => ({ ...tried, name: of(tried.name) })))
  }
  return grouped(found)
}

function grouped(cases: readonly Tried[]): StandInGroup[] {
  const names = [...new Set(cases.map(({ group }) => group))]
  return names.map((name) =>
    groupOf(
      name,
      cases.filter(({ group }) => group === name),
    ),
  )
}

async function objectResult(subject: Subject, server: StandInServer): Promise<StandInObject> {
  const cases = (await objectCases(subject, server)).map((tried) => {
    const known = tried.faults.length > 0 ? exceptionFor(subject.entry.name, subject.name, tried) : undefined
    return known === undefined ? tried : { ...tried, faults: [], because: known.because }
  })
  return { objectName: subject.name, groups: grouped(cases) }
}

function groupOf(
  group: StandInGroup['group'],
  cases: readonly Pick<Tried, 'name' | 'faults' | 'because'>[],
): StandInGroup {
  return {
    group,
    passed: cases.flatMap(({ name, faults, because }) => (faults.length > 0 || because !== undefined ? [] : [name])),
    failed: cases.flatMap(({ name, faults }) => faults.map((fault) => ({ case: name, message: messageOf(fault) }))),
    notTested: cases.flatMap(({ name, because }) => (because === undefined ? [] : [{ case: name, because }])),
  }
}

function messageOf(fault: string): string {
  return fault.replace(/^refused: /, 'the stand-in refused ').replace(/^fails: (?:ProviderError|Error): /, 'fails: ')
}
