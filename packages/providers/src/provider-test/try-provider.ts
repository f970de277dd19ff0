import type { CatalogueFault, ProviderEntry } from '../catalogue/entry.ts'
import type { ConnectionContext, LiveCredential, ProviderHttp } from '../connector.ts'
import { createConnector } from '../interpreter/create-connector.ts'
import { InvalidInputs, NoConnector } from '../provider-error.ts'
import { originsOf } from './origins-of.ts'
import { recordingHttp } from './recording-http.ts'
import { type TriedCheck, tryChecks } from './try-check.ts'
import { notReached, type TriedObject, tryObject } from './try-object.ts'

export interface TriedProvider {
  /** Errors of the file itself; then no request was sent. */
  faults: CatalogueFault[]
  /** What came of requests that need no object. */
  checks: TriedCheck[]
  objects: TriedObject[]
}

export interface TryOptions {
  /** The entry that the connection was created for: requests go to its origins only. */
  entry: ProviderEntry
  context: Omit<ConnectionContext, 'credential'> & { credential: LiveCredential }
  http: ProviderHttp
  now: () => Date
  /** Ends the trying; objects that were not reached say so. */
  signal: AbortSignal
  /** Names of objects; all that the file declares when absent. */
  objects?: readonly string[]
  /** Whether writes are sent that the application has to refuse. Nothing is written otherwise. */
  writes?: boolean
  /** Path below the base URL to request by GET, with its query. */
  get?: string
}

/**
 * Tries a provider file with a connection of its provider, one object after the other. The file does not decide where
 * the credential goes, nor how it is attached: the entry that the connection was made for does. What the provider says
 * of the credential has no effect on the connection, because the file may be what is wrong.
 */
export async function tryProvider(path: string, text: string, options: TryOptions): Promise<TriedProvider> {
  const { entry, context, signal, now } = options
  // What reads YAML is loaded when it is needed: a service that starts does without.
  const { compileProvider } = await import('./compile-provider.ts')
  const compiled = compileProvider(path, text)
  if ('faults' in compiled) return { faults: compiled.faults, checks: [], objects: [] }
  const tried = compiled.entry
  const faultOf = (at: string, message: string): TriedProvider => ({
    faults: [{ file: path, line: 1, column: 1, path: at, message }],
    checks: [],
    objects: [],
  })
  if (tried.name !== entry.name)
    return faultOf('name', `The file is for ${tried.name}, but the connection is for ${entry.name}.`)

  const secrets = new Set<string>()
  const credential: LiveCredential = {
    async authenticate(asked) {
      const attachment = await context.credential.authenticate(asked)
      for (const secret of attachment.secrets) secrets.add(secret)
      return attachment
    },
    refused: async () => false,
  }
  const recording = recordingHttp(options.http, {
    origins: originsOf(entry, context),
    secrets: () => [...secrets],
  })
  const own = { ...context, credential }
  const checks = await tryChecks(tried, own, { recording, now, signal, ...(options.get && { get: options.get }) })
  // A file that describes no objects says only how to authenticate, and where the API is.
  if (options.objects === undefined && !hasObjects(tried)) return { faults: [], checks, objects: [] }
  let connector: ReturnType<typeof createConnector>
  try {
    connector = createConnector(tried, own, recording.http, { now: () => now().getTime() })
  } catch (error) {
    if (error instanceof NoConnector || error instanceof InvalidInputs) return faultOf('', error.message)
    throw error
  }
  const module = context.module || tried.defaultModule || ''
  const declared = tried.file?.sets.get(module) ?? tried.file?.sets.get('')
  // Names that the file does not list are never matched with its patterns: a pattern can take for ever.
  const unknown = options.objects?.find((name) => declared?.objects.has(name) !== true)
  if (unknown !== undefined) return faultOf('objects', `The file declares no object ${JSON.stringify(unknown)}.`)
  const objects: TriedObject[] = []
  for (const name of options.objects ?? connector.objects()) {
    objects.push(
      signal.aborted
        ? notReached(name)
        : await tryObject(connector, name, declared?.objects.get(name), {
            recording,
            now: now(),
            signal,
            writes: options.writes === true,
          }),
    )
  }
  return { faults: [], checks, objects }
}

function hasObjects({ file }: ProviderEntry): boolean {
  return [...(file?.sets.values() ?? [])].some(({ objects, others }) => objects.size > 0 || others.length > 0)
}
